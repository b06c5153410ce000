#include "store/sip_hash.hpp"

#include <bit>
#include <cstring>

namespace jme::store {

namespace {

struct SipRounds {
  std::uint64_t v0, v1, v2, v3;

  SipRounds(std::uint64_t k0, std::uint64_t k1)
      : v0(k0 ^ 0x736f6d6570736575U),
        v1(k1 ^ 0x646f72616e646f6dU),
        v2(k0 ^ 0x6c7967656e657261U),
        v3(k1 ^ 0x7465646279746573U) {}

  void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void word(std::uint64_t m) {
    v3 ^= m;
    round();
    round();
    v0 ^= m;
  }
  std::uint64_t output() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

SipHash::SipHash(const Key& key) {
  std::memcpy(&k0_, key.bytes().data(), sizeof k0_);
  std::memcpy(&k1_, key.bytes().data() + sizeof k0_, sizeof k1_);
}

std::array<std::uint64_t, 2> SipHash::digest(std::span<const std::byte> bytes) const {
  SipRounds state(k0_, k1_);
  state.v1 ^= 0xee;
  const std::size_t whole = bytes.size() / 8;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < whole; ++i) {
    std::memcpy(&word, bytes.data() + 8 * i, sizeof word);
    state.word(word);
  }
  word = static_cast<std::uint64_t>(bytes.size()) << 56;
  for (std::size_t i = 8 * whole; i < bytes.size(); ++i) {
    word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * (i - 8 * whole));
  }
  state.word(word);
  state.v2 ^= 0xee;
  const std::uint64_t first = state.output();
  state.v1 ^= 0xdd;
  return {first, state.output()};
}

}  // namespace jme::store
