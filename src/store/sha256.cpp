#include "store/sha256.hpp"

#include <openssl/evp.h>

#include <jme/base/errors.hpp>

namespace jme::store {

namespace {

void require_digested(int result) {
  if (result != 1) throw Error("SHA-256 failed in OpenSSL");
}

}  // namespace

void Sha256::Free::operator()(EVP_MD_CTX* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require_digested(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::add(std::span<const std::byte> part) {
  require_digested(EVP_DigestUpdate(context_.get(), part.data(), part.size()));
}

std::array<std::byte, 32> Sha256::digest() {
  std::array<std::byte, 32> result;
  require_digested(
      EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(result.data()), nullptr));
  require_digested(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
  return result;
}

}  // namespace jme::store
