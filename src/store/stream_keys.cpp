#include "store/stream_keys.hpp"

#include <cstring>
#include <string>

#include <openssl/crypto.h>

#include "store/bytes.hpp"
#include "store/hmac.hpp"

namespace jme::store {

Key StreamKeys::derive(std::string_view purpose, const Nonce& nonce) const {
  ByteWriter message;
  message.text("jme store 2").text(purpose).raw(identity_).raw(bytes_of(nonce));
  Hmac hmac(key_);
  hmac.add(message.bytes());
  auto digest = hmac.digest();
  std::array<std::uint8_t, 32> bytes;
  std::memcpy(bytes.data(), digest.data(), bytes.size());
  Key result(bytes);
  OPENSSL_cleanse(digest.data(), digest.size());
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return result;
}

Key StreamKeys::front(std::string_view purpose) const {
  return derive("front: " + std::string(purpose));
}

}  // namespace jme::store
