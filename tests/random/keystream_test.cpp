#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "random/aes_schedule.hpp"
#include "random/gaussian_kernels.hpp"
#include "random/simd_targets.hpp"

namespace jme {
namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint8_t> bytes(8 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<std::uint8_t> from_hex(std::string_view hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

template <std::size_t N>
std::array<std::uint8_t, N> array_from_hex(std::string_view hex) {
  std::array<std::uint8_t, N> result;
  const auto bytes = from_hex(hex);
  std::copy(bytes.begin(), bytes.end(), result.begin());
  return result;
}

TEST(AesSchedule, EqualsTheExampleOfFips197) {
  // FIPS 197, appendix A.3: last round key words w[56..59].
  const auto schedule =
      expand_key(array_from_hex<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"));
  EXPECT_EQ(std::vector<std::uint8_t>(schedule.end() - 16, schedule.end()),
            from_hex("fe4890d1e6188d0b046df344706c631e"));
}

TEST(Keystream, EqualsTheVectorsOfSp80038a) {
  // NIST SP 800-38A, F.5.5 CTR-AES256: plaintext and ciphertext; their exclusive-or is the keystream.
  const auto schedule =
      expand_key(array_from_hex<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"));
  const auto plain = from_hex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  const auto cipher = from_hex(
      "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
      "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
  for (const auto target : simd_targets()) {
    const OnlyTarget only(target);
    std::vector<std::uint64_t> words(8);
    keystream(schedule, 0xf0f1f2f3f4f5f6f7, 0xf8f9fafbfcfdfeff, words);
    const auto stream = bytes_of(words);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      EXPECT_EQ(stream[i] ^ plain[i], cipher[i]) << hwy::TargetName(target) << " byte " << i;
    }
  }
}

TEST(Keystream, EqualsOpensslOnEveryTargetAtEveryLength) {
  std::array<std::uint8_t, 32> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(37 * i + 11);
  const auto schedule = expand_key(key);
  constexpr std::uint64_t prefix = 0x0123456789abcdef;
  constexpr std::uint64_t block = 0x00000000fffffff0;  // a carry into the upper half of the index on the way
  constexpr std::size_t blocks = 1500;

  std::array<std::uint8_t, 16> counter;
  for (int i = 0; i < 8; ++i) {
    counter[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(prefix >> (56 - 8 * i));
    counter[static_cast<std::size_t>(8 + i)] = static_cast<std::uint8_t>(block >> (56 - 8 * i));
  }
  std::vector<std::uint8_t> zeros(16 * blocks), expected(16 * blocks);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int written = 0;
  ASSERT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()), 1);
  ASSERT_EQ(
      EVP_EncryptUpdate(context, expected.data(), &written, zeros.data(), static_cast<int>(zeros.size())), 1);
  EVP_CIPHER_CTX_free(context);

  for (const auto target : simd_targets()) {
    const OnlyTarget only(target);
    for (const std::size_t length : {1u, 2u, 3u, 5u, 7u, 8u, 31u, 32u, 33u, 255u, 256u, 257u, 1500u}) {
      std::vector<std::uint64_t> words(2 * length);
      keystream(schedule, prefix, block, words);
      const auto got = bytes_of(words);
      ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin()))
          << hwy::TargetName(target) << ' ' << length << " blocks";
    }
  }
}

}  // namespace
}  // namespace jme
