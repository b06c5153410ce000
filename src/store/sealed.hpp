#pragma once

#include <cstdint>
#include <span>

#include <jme/random/key.hpp>

#include "store/bytes.hpp"

namespace jme::store {

/// AES-256-GCM of `secret`, with its 16 bytes of authentication at the end. A (key, counter) pair must seal
/// only once. `about` is not in the result, but opening needs the same bytes again.
[[nodiscard]] Bytes seal(const Key& key, std::uint64_t counter, std::span<const std::byte> about,
                         std::span<const std::byte> secret);
/// Throws StateError where anything is not as it was sealed.
[[nodiscard]] Bytes unseal(const Key& key, std::uint64_t counter, std::span<const std::byte> about,
                           std::span<const std::byte> sealed);

}  // namespace jme::store
