#include "store/log_encoding.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace jme::store {

StateError damaged(std::string_view what) {
  return StateError(fmt::format("the state is damaged: {}", what));
}

std::uint64_t whole(std::int64_t value) {
  if (value < 0) throw damaged("a count is negative");
  return static_cast<std::uint64_t>(value);
}

Tag tag_from(std::span<const std::byte> bytes) {
  Tag tag;
  if (bytes.size() != tag.size()) throw damaged("an authentication code has the wrong length");
  std::copy(bytes.begin(), bytes.end(), tag.begin());
  return tag;
}

Bytes encoded(const Settings& settings) {
  ByteWriter writer;
  for (const Setting& setting : settings) writer.text(setting.name).text(setting.value);
  return writer.bytes();
}

Settings settings_from(std::span<const std::byte> bytes) {
  Settings settings;
  ByteReader reader(bytes);
  const auto text = [&] {
    const auto part = reader.take(reader.value<std::uint64_t>());
    return std::string(reinterpret_cast<const char*>(part.data()), part.size());
  };
  while (reader.left() > 0) {
    std::string name = text();
    settings.push_back({.name = std::move(name), .value = text()});
  }
  return settings;
}

Bytes encoded(const std::vector<NoncePeriod>& nonces) {
  ByteWriter writer;
  for (const NoncePeriod& period : nonces) writer.number(period.first_step).raw(bytes_of(period.nonce));
  return writer.bytes();
}

std::vector<NoncePeriod> nonces_from(std::span<const std::byte> bytes) {
  std::vector<NoncePeriod> nonces;
  ByteReader reader(bytes);
  while (reader.left() > 0) {
    const auto first_step = reader.value<std::uint64_t>();
    nonces.push_back({.first_step = first_step, .nonce = reader.value<Nonce>()});
  }
  return nonces;
}

}  // namespace jme::store
