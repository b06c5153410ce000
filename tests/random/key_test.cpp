#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include <gtest/gtest.h>

#include <jme/random/key.hpp>

namespace jme {
namespace {

TEST(Key, FromSystemDiffersEachTime) {
  EXPECT_NE(Key::from_system().bytes(), Key::from_system().bytes());  // equal with probability 2^-256
}

TEST(Nonce, FromSystemDiffersEachTime) {
  EXPECT_NE(nonce_from_system(), nonce_from_system());
}

TEST(Key, IsWipedWhenItGoes) {
  alignas(Key) std::array<unsigned char, sizeof(Key)> memory;
  std::array<std::uint8_t, 32> ones;
  ones.fill(0xAB);
  Key* key = new (memory.data()) Key(ones);
  ASSERT_EQ(key->bytes(), ones);
  key->~Key();
  // Through a volatile pointer, so that the compiler reads what is there.
  const volatile unsigned char* left = memory.data();
  for (std::size_t i = 0; i < memory.size(); ++i) EXPECT_EQ(left[i], 0);
}

TEST(InsecureTestSeed, GivesOneKeyForOneSeed) {
  EXPECT_EQ(InsecureTestSeed{7}.key().bytes(), InsecureTestSeed{7}.key().bytes());
  EXPECT_NE(InsecureTestSeed{7}.key().bytes(), InsecureTestSeed{8}.key().bytes());
}

TEST(InsecureTestSeed, IsSha256OfItsLabelAndSeed) {
  // printf 'jme insecure test seed\0\0\0\0\0\0\0\1' | sha256sum
  const std::array<std::uint8_t, 4> head = {0xd1, 0xd0, 0x2a, 0xdf};
  const auto bytes = InsecureTestSeed{1}.key().bytes();
  EXPECT_TRUE(std::equal(head.begin(), head.end(), bytes.begin()));
}

}  // namespace
}  // namespace jme
