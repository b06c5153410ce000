#pragma once

#include <array>
#include <cstdint>

namespace jme {

/// The fifteen round keys of AES-256 (FIPS 197, section 5.2), one after another.
using AesSchedule = std::array<std::uint8_t, 240>;

/// No table look-up and no branch depends on the key.
[[nodiscard]] AesSchedule expand_key(const std::array<std::uint8_t, 32>& key);

}  // namespace jme
