#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/moments/stream_state.hpp>
#include <jme/store/stream_settings.hpp>

#include "store/bytes.hpp"
#include "store/hmac.hpp"

namespace jme::store {

// How the columns of StreamLog's tables are written and read back. What does not read back is damage.

[[nodiscard]] StateError damaged(std::string_view what);
[[nodiscard]] std::uint64_t whole(std::int64_t value);
[[nodiscard]] Tag tag_from(std::span<const std::byte> bytes);
[[nodiscard]] Bytes encoded(const Settings& settings);
[[nodiscard]] Settings settings_from(std::span<const std::byte> bytes);
[[nodiscard]] Bytes encoded(const std::vector<NoncePeriod>& nonces);
[[nodiscard]] std::vector<NoncePeriod> nonces_from(std::span<const std::byte> bytes);

template <class T>
std::vector<T> values_from(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(T) != 0) throw damaged("a list of numbers has the wrong length");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace jme::store
