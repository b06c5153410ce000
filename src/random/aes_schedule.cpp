#include "random/aes_schedule.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace jme {

namespace {

/// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1; masks in place of branches.
constexpr std::uint8_t gf_multiply(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  unsigned x = a;
  for (unsigned bit = 0; bit < 8; ++bit) {
    product ^= x & (0U - ((b >> bit) & 1U));
    x = (x << 1) ^ (0x11BU & (0U - (x >> 7)));
  }
  return static_cast<std::uint8_t>(product);
}

/// The S-box by its definition, inverse (x^254) and affine map, instead of a table indexed by a secret.
constexpr std::uint8_t substitute(std::uint8_t x) {
  std::uint8_t power = x;
  std::uint8_t inverse = 1;
  for (int i = 0; i < 7; ++i) {  // 254 = 2 + 4 + ... + 128
    power = gf_multiply(power, power);
    inverse = gf_multiply(inverse, power);
  }
  return static_cast<std::uint8_t>(inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                   std::rotl(inverse, 3) ^ std::rotl(inverse, 4) ^ 0x63);
}
static_assert(substitute(0x00) == 0x63 && substitute(0x53) == 0xED);  // FIPS 197, section 5.1.1

}  // namespace

AesSchedule expand_key(const std::array<std::uint8_t, 32>& key) {
  constexpr std::size_t key_words = 8;
  AesSchedule schedule;
  std::copy(key.begin(), key.end(), schedule.begin());
  std::uint8_t round_constant = 1;
  for (std::size_t word = key_words; word < schedule.size() / 4; ++word) {
    std::array<std::uint8_t, 4> t;
    std::copy_n(schedule.begin() + static_cast<std::ptrdiff_t>(4 * (word - 1)), 4, t.begin());
    if (word % key_words == 0) {
      std::rotate(t.begin(), t.begin() + 1, t.end());
      for (auto& byte : t) byte = substitute(byte);
      t[0] ^= round_constant;
      round_constant = gf_multiply(round_constant, 2);
    } else if (word % key_words == 4) {
      for (auto& byte : t) byte = substitute(byte);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      schedule[4 * word + i] = static_cast<std::uint8_t>(schedule[4 * (word - key_words) + i] ^ t[i]);
    }
  }
  return schedule;
}

}  // namespace jme
