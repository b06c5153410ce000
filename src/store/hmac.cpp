#include "store/hmac.hpp"

#include <algorithm>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <jme/base/errors.hpp>

namespace jme::store {

namespace {

[[noreturn]] void fail() {
  throw Error("HMAC-SHA256 failed in OpenSSL");
}

const unsigned char* octets(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

void Hmac::Free::operator()(EVP_MAC_CTX* context) const {
  EVP_MAC_CTX_free(context);
}

Hmac::Hmac(const Key& key) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr),
                                                                    &EVP_MAC_free);
  if (!algorithm) fail();
  context_.reset(EVP_MAC_CTX_new(algorithm.get()));
  std::array<char, 7> name{"SHA256"};
  const std::array<OSSL_PARAM, 2> parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0), OSSL_PARAM_construct_end()};
  if (!context_ ||
      EVP_MAC_init(context_.get(), key.bytes().data(), key.bytes().size(), parameters.data()) != 1) {
    fail();
  }
}

void Hmac::add(std::span<const std::byte> part) {
  if (EVP_MAC_update(context_.get(), octets(part), part.size()) != 1) fail();
}

std::array<std::byte, 32> Hmac::digest() {
  std::array<std::byte, 32> result;
  std::size_t length = 0;
  if (EVP_MAC_final(context_.get(), reinterpret_cast<unsigned char*>(result.data()), &length,
                    result.size()) != 1 ||
      length != result.size() || EVP_MAC_init(context_.get(), nullptr, 0, nullptr) != 1) {
    fail();
  }
  return result;
}

Tag Hmac::tag() {
  const auto whole = digest();
  Tag half;
  std::copy_n(whole.begin(), half.size(), half.begin());
  return half;
}

Tag Hmac::tag(std::span<const std::byte> message) {
  add(message);
  return tag();
}

bool equal(const Tag& a, const Tag& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace jme::store
