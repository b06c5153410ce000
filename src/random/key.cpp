#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <jme/base/errors.hpp>
#include <jme/random/key.hpp>

namespace jme {

namespace {

/// getrandom blocks until the system's pool is seeded, may be interrupted, and may return fewer bytes than
/// asked.
void system_bytes(std::span<std::uint8_t> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = getrandom(out.data() + done, out.size() - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error("the system's random generator (getrandom) failed");
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace

Key::~Key() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

Key Key::from_system() {
  Key key(std::array<std::uint8_t, 32>{});
  system_bytes(key.bytes_);
  return key;
}

Key InsecureTestSeed::key() const {
  constexpr std::string_view label = "jme insecure test seed";
  std::array<std::uint8_t, label.size() + 8> message;
  std::memcpy(message.data(), label.data(), label.size());
  for (std::size_t i = 0; i < 8; ++i) {
    message[label.size() + i] = static_cast<std::uint8_t>(value >> (56 - 8 * i));
  }
  std::array<std::uint8_t, 32> digest;
  SHA256(message.data(), message.size(), digest.data());
  return Key(digest);
}

Nonce nonce_from_system() {
  Nonce nonce;
  system_bytes(nonce);
  return nonce;
}

}  // namespace jme
