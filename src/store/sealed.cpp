#include "store/sealed.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <openssl/evp.h>

namespace jme::store {

namespace {

constexpr std::size_t tag_size = 16;
// One call of OpenSSL takes an int of bytes.
constexpr std::size_t piece = std::size_t{1} << 30;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

unsigned char* octets(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
const unsigned char* octets(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

void require_sealed(int result) {
  if (result != 1) throw Error("AES-256-GCM failed in OpenSSL");
}

Context begin(const Key& key, std::uint64_t counter, std::span<const std::byte> about, int encrypt) {
  Context context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  if (!context) throw Error("AES-256-GCM failed in OpenSSL");
  std::array<unsigned char, 12> iv{};
  std::memcpy(iv.data(), &counter, sizeof counter);
  require_sealed(
      EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.bytes().data(), iv.data(), encrypt));
  int length = 0;
  require_sealed(EVP_CipherUpdate(context.get(), nullptr, &length, octets(about.data()),
                                  static_cast<int>(about.size())));
  return context;
}

void transform(EVP_CIPHER_CTX* context, std::span<const std::byte> from, std::byte* to) {
  while (!from.empty()) {
    const std::size_t count = std::min(from.size(), piece);
    int length = 0;
    require_sealed(
        EVP_CipherUpdate(context, octets(to), &length, octets(from.data()), static_cast<int>(count)));
    from = from.subspan(count);
    to += length;
  }
}

}  // namespace

Bytes seal(const Key& key, std::uint64_t counter, std::span<const std::byte> about,
           std::span<const std::byte> secret) {
  const Context context = begin(key, counter, about, 1);
  Bytes sealed(secret.size() + tag_size);
  transform(context.get(), secret, sealed.data());
  int length = 0;
  require_sealed(EVP_CipherFinal_ex(context.get(), octets(sealed.data() + secret.size()), &length));
  require_sealed(
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_size, sealed.data() + secret.size()));
  return sealed;
}

Bytes unseal(const Key& key, std::uint64_t counter, std::span<const std::byte> about,
             std::span<const std::byte> sealed) {
  if (sealed.size() < tag_size) throw StateError("the sealed state ends early");
  const Context context = begin(key, counter, about, 0);
  const auto hidden = sealed.first(sealed.size() - tag_size);
  Bytes secret(hidden.size());
  transform(context.get(), hidden, secret.data());
  std::array<std::byte, tag_size> tag;
  std::copy_n(sealed.end() - tag_size, tag_size, tag.begin());
  require_sealed(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, tag_size, tag.data()));
  int length = 0;
  std::array<unsigned char, tag_size> none;
  if (EVP_CipherFinal_ex(context.get(), none.data(), &length) != 1) {
    throw StateError("the sealed state was changed or belongs to another key");
  }
  return secret;
}

}  // namespace jme::store
