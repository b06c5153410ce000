#include "store/row_digest.hpp"

#include <bit>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "store/bytes.hpp"

namespace jme::store {
namespace {

Key sample_key() {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return Key(bytes);
}

StreamKeys sample_keys() {
  return {sample_key(), Identity{}};
}

std::vector<double> sample_row(double value) {
  return {value, -value, 1 / (1 + value)};
}

std::uint64_t openssl_siphash(const Key& key, std::span<const std::byte> message) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(EVP_MAC_fetch(nullptr, "SIPHASH", nullptr),
                                                              &EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(mac.get()),
                                                                          &EVP_MAC_CTX_free);
  std::size_t size = 8;
  const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                             OSSL_PARAM_construct_end()};
  std::uint64_t result = 0;
  EXPECT_EQ(EVP_MAC_init(context.get(), key.bytes().data(), 16, parameters.data()), 1);
  EXPECT_EQ(
      EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(message.data()), message.size()),
      1);
  EXPECT_EQ(EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(&result), &size, 8), 1);
  return result;
}

// Appendix A of the SipHash paper has 15 bytes; ours are whole words, so OpenSSL's is the reference, which is
// first compared with that appendix.
TEST(SipHash, EqualsOpenSslsOnWholeWords) {
  Bytes appendix;
  for (unsigned i = 0; i < 15; ++i) appendix.push_back(static_cast<std::byte>(i));
  ASSERT_EQ(openssl_siphash(sample_key(), appendix), 0xa129ca6149be45e5U);
  const SipHash hash(sample_key());
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<double> row;
    for (std::size_t i = 0; i < size; ++i)
      row.push_back(std::bit_cast<double>(0x1234567890abcdefU * (i + 1)));
    const std::uint64_t number = 77 + size;
    const Bytes message = ByteWriter().number(number).raw(bytes_of(row)).bytes();
    EXPECT_EQ(hash(number, row), openssl_siphash(sample_key(), message)) << size;
  }
}

std::array<std::uint64_t, 2> openssl_long_siphash(const Key& key, const Bytes& message) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(EVP_MAC_fetch(nullptr, "SIPHASH", nullptr),
                                                              EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(mac.get()),
                                                                          EVP_MAC_CTX_free);
  std::size_t size = 16;
  const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                             OSSL_PARAM_construct_end()};
  std::array<std::uint64_t, 2> result{};
  EXPECT_EQ(EVP_MAC_init(context.get(), key.bytes().data(), 16, parameters.data()), 1);
  EXPECT_EQ(
      EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(message.data()), message.size()),
      1);
  EXPECT_EQ(EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(result.data()), &size, 16), 1);
  return result;
}

TEST(SipHash, OfDoubleLengthEqualsOpenSslsOnAnyBytes) {
  const SipHash hash(sample_key());
  Bytes message;
  for (unsigned size = 0; size < 70; ++size) {
    EXPECT_EQ(hash.digest(message), openssl_long_siphash(sample_key(), message)) << size;
    message.push_back(static_cast<std::byte>(size * 37));
  }
}

TEST(RowDigest, IsTheSameForTheSameRowsHoweverTheyAreBuffered) {
  RowDigest a(sample_keys(), 3000), b(sample_keys(), 3000);
  for (int i = 0; i < 3000; ++i) a.add(sample_row(i));
  for (int i = 0; i < 3000; ++i) b.add(sample_row(i));
  const BlockDigest first = a.close(), second = b.close();
  EXPECT_TRUE(equal(first.rows, second.rows));
  EXPECT_EQ(first.marks, second.marks);
  EXPECT_EQ(first.marks.size(), 3000U);
  EXPECT_EQ(first_difference(first, second), 3000U);
}

TEST(RowDigest, FindsTheRowThatDiffersInOneBit) {
  constexpr int rows = 2000;
  for (const int changed : {0, 1, 777, rows - 1}) {
    RowDigest a(sample_keys(), rows), b(sample_keys(), rows);
    for (int i = 0; i < rows; ++i) {
      std::vector<double> row = sample_row(i);
      a.add(row);
      if (i == changed) row[2] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(row[2]) ^ 1U);
      b.add(row);
    }
    const BlockDigest first = a.close(), second = b.close();
    EXPECT_FALSE(equal(first.rows, second.rows));
    EXPECT_EQ(first_difference(first, second), static_cast<std::size_t>(changed));
  }
}

TEST(RowDigest, DependsOnThePlaceOfTheRowsAndOnTheKey) {
  const auto digest = [](const StreamKeys& keys, std::uint64_t row) {
    RowDigest digest_of(keys, 2, row);
    digest_of.add(sample_row(1));
    digest_of.add(sample_row(2));
    return digest_of.close();
  };
  Identity other{};
  other[0] = std::byte{1};
  const BlockDigest a = digest(sample_keys(), 0), b = digest(sample_keys(), 2),
                    c = digest(StreamKeys(sample_key(), other), 0);
  EXPECT_FALSE(equal(a.rows, b.rows));
  EXPECT_FALSE(equal(a.rows, c.rows));
  EXPECT_NE(a.marks, b.marks);
  EXPECT_NE(a.marks, c.marks);
}

TEST(RowDigest, KeepsNoMarksWhereABlockIsARow) {
  RowDigest digest(sample_keys(), 1);
  digest.add(sample_row(1));
  EXPECT_TRUE(digest.close().marks.empty());
}

}  // namespace
}  // namespace jme::store
