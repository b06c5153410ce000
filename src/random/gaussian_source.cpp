#include "random/gaussian_source.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <jme/base/errors.hpp>

#include "random/aes_schedule.hpp"
#include "random/exact_rounding.hpp"
#include "random/gaussian_kernels.hpp"

namespace jme {

namespace {

/// HMAC-SHA256(key, label | nonce): a fresh nonce gives keys, and so noise, that look independent.
std::array<std::uint8_t, 32> stream_key(const Key& key, const Nonce& nonce) {
  constexpr std::string_view label = "jme gaussian source 1";
  std::array<std::uint8_t, label.size() + std::tuple_size_v<Nonce>> message;
  std::copy(nonce.begin(), nonce.end(), std::copy(label.begin(), label.end(), message.begin()));
  std::array<std::uint8_t, 32> result;
  unsigned length = 0;
  if (HMAC(EVP_sha256(), key.bytes().data(), static_cast<int>(key.bytes().size()), message.data(),
           message.size(), result.data(), &length) == nullptr ||
      length != result.size()) {
    throw Error("HMAC-SHA256 failed in OpenSSL");
  }
  return result;
}

/// Up to this many coordinates, the blocks of pairs, the fraction blocks and the further blocks never
/// coincide (further_block).
constexpr std::uint64_t most_coordinates = std::uint64_t{1} << 56;

CounterPrefix prefix(Channel channel, std::uint64_t step) {
  if (step >> 56 != 0) throw InvalidParameter("steps", static_cast<double>(step), "below 2^56");
  return static_cast<std::uint64_t>(channel) << 56 | step;
}

}  // namespace

GaussianSource::GaussianSource(const Key& key, const Nonce& nonce) {
  auto secret = stream_key(key, nonce);
  round_keys_ = expand_key(secret);
  OPENSSL_cleanse(secret.data(), secret.size());
}

GaussianSource::~GaussianSource() {
  OPENSSL_cleanse(round_keys_.data(), round_keys_.size());
}

void GaussianSource::fill(Channel channel, std::uint64_t step, std::uint64_t first, std::span<double> out,
                          const Upcoming& upcoming) const {
  if (first > most_coordinates - std::min<std::uint64_t>(out.size(), most_coordinates)) {
    throw InvalidParameter("dimension", "more coordinates than a channel has draws");
  }
  fill_normals(round_keys_, prefix(channel, step), first, out, upcoming);
}

double GaussianSource::nearest_whole(Channel channel, std::uint64_t step, std::uint64_t coordinate,
                                     const AffineDraw& affine) const {
  const CounterPrefix start = prefix(channel, step);
  const std::uint64_t pair = coordinate / 2;
  const auto block = [&](std::uint64_t index) {
    std::array<std::uint64_t, 2> words;
    keystream(round_keys_, start, index, words);
    return words;
  };
  const auto [radius, angle] = block(pair);
  const std::uint64_t fraction = block(first_fraction_block + pair / 2)[pair % 2];
  return nearest_whole_of_bits({.radius = radius, .fraction = fraction, .angle = angle},
                               coordinate % 2 == 0 ? Half::first : Half::second, affine,
                               [&](std::uint64_t number) { return block(further_block(pair, number)); });
}

}  // namespace jme
