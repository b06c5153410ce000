#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <jme/base/errors.hpp>
#include <jme/training/batch_sampler.hpp>

namespace jme {
namespace {

/// The key of batches for a key that also makes noise.
Key apart(const Key& key) {
  constexpr std::string_view label = "jme-train batches";
  std::array<std::uint8_t, label.size() + 32> message;
  std::memcpy(message.data(), label.data(), label.size());
  std::memcpy(message.data() + label.size(), key.bytes().data(), 32);
  std::array<std::uint8_t, 32> digest;
  SHA256(message.data(), message.size(), digest.data());
  return Key(digest);
}

std::uint64_t threshold_of(double probability) {
  if (!(probability > 0 && probability < 1))
    throw InvalidParameter("sampling-rate", probability, "in (0, 1)");
  // Below 1 a double is at most 1 - 2^-53, so the product stays below 2^64.
  return static_cast<std::uint64_t>(std::ldexp(probability, 64));
}

}  // namespace

BatchSampler::BatchSampler(std::size_t examples, double probability, const Key& key)
    : examples_(examples), probability_(probability), threshold_(threshold_of(probability)), key_(key) {
  if (examples == 0 || examples > std::numeric_limits<std::uint32_t>::max())
    throw InvalidParameter("examples", static_cast<double>(examples), "between 1 and 2^32");
}
BatchSampler::BatchSampler(std::size_t examples, double probability)
    : BatchSampler(examples, probability, Key::from_system()) {}
BatchSampler::BatchSampler(std::size_t examples, double probability, InsecureTestSeed seed)
    : BatchSampler(examples, probability, apart(seed.key())) {}

std::vector<std::uint32_t> BatchSampler::draw(std::uint64_t step) const {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher(EVP_CIPHER_CTX_new(),
                                                                               &EVP_CIPHER_CTX_free);
  std::array<std::uint8_t, 16> counter{};  // the step, then blocks of 16 bytes within it
  for (std::size_t i = 0; i < 8; ++i) counter[i] = static_cast<std::uint8_t>(step >> (56 - 8 * i));
  bool good = cipher && EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_ctr(), nullptr, key_.bytes().data(),
                                           counter.data()) == 1;
  constexpr std::size_t words = 2048;
  const std::array<std::uint8_t, words * 8> zeros{};
  std::array<std::uint64_t, words> bits;
  std::vector<std::uint32_t> chosen;
  for (std::size_t begin = 0; good && begin < examples_; begin += words) {
    int written = 0;
    good = EVP_EncryptUpdate(cipher.get(), reinterpret_cast<std::uint8_t*>(bits.data()), &written,
                             zeros.data(), static_cast<int>(zeros.size())) == 1;
    const std::size_t count = std::min(words, examples_ - begin);
    for (std::size_t i = 0; i < count; ++i) {
      if (bits[i] < threshold_) chosen.push_back(static_cast<std::uint32_t>(begin + i));
    }
  }
  if (!good) throw Error("AES-256-CTR failed");
  return chosen;
}

std::size_t largest_batch(std::size_t examples, double probability) {
  const auto n = static_cast<double>(examples);
  // P(Binomial(n, q) >= k) <= exp(-n KL(k/n || q)) for k > n q.
  const auto log_tail = [&](double k) {
    const double p = k / n;
    const double upper = p < 1 ? (1 - p) * std::log((1 - p) / (1 - probability)) : 0;
    return -n * (p * std::log(p / probability) + upper);
  };
  double k = std::floor(n * probability) + 1;
  while (k < n && log_tail(k) > -80 * std::log(2.0)) k += 1;
  return static_cast<std::size_t>(std::min(k, n));
}

}  // namespace jme
