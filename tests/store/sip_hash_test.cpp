#include "store/sip_hash.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "store/bytes.hpp"

namespace jme::store {
namespace {

Key key_of_the_paper() {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return Key(bytes);
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
  const SipHash hash(key_of_the_paper());
  Bytes message;
  for (unsigned size = 0; size < 70; ++size) {
    EXPECT_EQ(hash.digest(message), openssl_long_siphash(key_of_the_paper(), message)) << size;
    message.push_back(static_cast<std::byte>(size * 37));
  }
}

}  // namespace
}  // namespace jme::store
