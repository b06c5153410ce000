#include "store/sealed.hpp"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <jme/base/errors.hpp>

#include "store/hmac.hpp"
#include "store/sha256.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {
namespace {

Key key_of(std::uint8_t first) {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  return Key(bytes);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[static_cast<unsigned>(byte) >> 4U];
    text += digits[static_cast<unsigned>(byte) & 15U];
  }
  return text;
}

// RFC 4231's keys are shorter than ours; HMAC pads a key with zeros, so a 20-byte key is a 32-byte one.
TEST(Hmac, EqualsTheFirstVectorOfRfc4231AgainAndAgain) {
  std::array<std::uint8_t, 32> bytes{};
  std::fill_n(bytes.begin(), 20, std::uint8_t{0x0b});
  Hmac hmac{Key(bytes)};
  for (int i = 0; i < 3; ++i) {
    hmac.add(bytes_of(std::string_view("Hi ")));
    hmac.add(bytes_of(std::string_view("There")));
    EXPECT_EQ(hex(hmac.digest()), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  }
}

// FIPS 180-4, "abc".
TEST(Sha256, EqualsThePublishedVectorAgainAndAgain) {
  Sha256 hash;
  for (int i = 0; i < 2; ++i) {
    hash.add(bytes_of(std::string_view("a")));
    hash.add(bytes_of(std::string_view("bc")));
    EXPECT_EQ(hex(hash.digest()), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }
}

TEST(StreamKeys, DifferByPurposeStreamAndNonce) {
  Identity other{};
  other[31] = std::byte{1};
  Nonce nonce{};
  nonce[0] = 1;
  const StreamKeys a(key_of(1), Identity{}), b(key_of(1), other), c(key_of(2), Identity{});
  const std::vector<Key> keys{a.noise(),       a.rows(),      a.block_ids(), a.releases(),  a.state(),
                              a.seal(Nonce{}), a.seal(nonce), b.noise(),     b.seal(nonce), c.noise()};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(keys[i].bytes(), keys[j].bytes()) << i << " and " << j;
  }
  EXPECT_EQ(a.noise().bytes(), StreamKeys(key_of(1), Identity{}).noise().bytes());
}

TEST(Sealed, OpensToWhatWasSealedOfAnyLength) {
  for (const std::size_t size : {0U, 1U, 15U, 16U, 17U, 1000U, 100'000U}) {
    Bytes secret(size);
    for (std::size_t i = 0; i < size; ++i) secret[i] = static_cast<std::byte>(i * 7);
    const Bytes about{std::byte{1}, std::byte{2}};
    const Bytes sealed = seal(key_of(3), 5, about, secret);
    EXPECT_EQ(sealed.size(), size + 16);
    EXPECT_EQ(unseal(key_of(3), 5, about, sealed), secret);
  }
}

TEST(Sealed, RefusesEveryChangedBitAnotherKeyCounterOrContext) {
  const Bytes secret(40, std::byte{0x5a}), about{std::byte{1}};
  const Bytes sealed = seal(key_of(3), 5, about, secret);
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    Bytes changed = sealed;
    changed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_THROW(static_cast<void>(unseal(key_of(3), 5, about, changed)), StateError) << bit;
  }
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_THROW(static_cast<void>(unseal(key_of(3), 5, about, std::span(sealed).first(size))), StateError);
  }
  EXPECT_THROW(static_cast<void>(unseal(key_of(4), 5, about, sealed)), StateError);
  EXPECT_THROW(static_cast<void>(unseal(key_of(3), 6, about, sealed)), StateError);
  EXPECT_THROW(static_cast<void>(unseal(key_of(3), 5, Bytes{std::byte{2}}, sealed)), StateError);
  EXPECT_THROW(static_cast<void>(unseal(key_of(3), 5, Bytes{}, sealed)), StateError);
}

TEST(Sealed, ShowsNothingOfTheSecretAndDiffersForEveryCounter) {
  const Bytes secret(64, std::byte{0x41});
  const Bytes a = seal(key_of(3), 1, {}, secret), b = seal(key_of(3), 2, {}, secret);
  EXPECT_NE(a, b);
  // 16 equal bytes in a row have probability 2^-120 in a keystream.
  for (const Bytes& sealed : {a, b}) {
    EXPECT_EQ(std::search_n(sealed.begin(), sealed.end(), 16, std::byte{0x41}), sealed.end());
  }
}

}  // namespace
}  // namespace jme::store
