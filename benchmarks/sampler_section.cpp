#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include <openssl/evp.h>

#include <jme/base/values.hpp>

#include "noise/shaped_noise.hpp"
#include "random/gaussian_source.hpp"
#include "rows.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

constexpr std::size_t tile = 4096;         // normals made and rounded while they are in the first-level cache
constexpr std::size_t bytes_a_normal = 8;  // a block for a pair; one of 2^11 needs more (src/random)

GaussianSource test_source() {
  return {InsecureTestSeed{1}.key(), Nonce{}};
}

/// Raw AES-256-CTR of OpenSSL, in pieces of a tile's keystream: no sampler keyed by it can be faster.
class Keystream {
 public:
  Keystream() : context_(EVP_CIPHER_CTX_new()), zeros_(tile * bytes_a_normal), out_(zeros_.size()) {
    const std::vector<unsigned char> key(32, 1), counter(16, 0);
    if (context_ == nullptr ||
        EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, key.data(), counter.data()) != 1) {
      throw std::runtime_error("AES-256-CTR failed in OpenSSL");
    }
  }

  void make(std::size_t normals) {
    for (std::size_t done = 0; done < normals; done += tile) {
      int written = 0;
      EVP_EncryptUpdate(context_.get(), out_.data(), &written, zeros_.data(),
                        static_cast<int>(zeros_.size()));
    }
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
  std::vector<unsigned char> zeros_, out_;
};

/// Normals per second of the whole noise path, from draws to rounding and adding, at the width of d = 1000.
Json shaped_rate(const Filter& shape, const Effort& effort) {
  const std::size_t width = second_moment_size(SecondMoment::full, 1000);
  std::vector<double> values(width, 0.0);
  ShapedNoise noise(shape, test_source(), Channel::second, NoiseScale::uniform(width, 0x1p20));
  return rate(static_cast<double>(width), timed(effort, [&] { noise.add_to(values); }));
}

}  // namespace

Json sampler_section(const Options& options) {
  constexpr std::size_t normals = std::size_t{1} << 20;
  std::vector<double> out(tile);
  const GaussianSource source = test_source();
  std::uint64_t step = 0;
  const double count = normals;
  Json result;
  result["fill"] = rate(count, timed(options.effort, [&] {
                          ++step;
                          for (std::size_t first = 0; first < normals; first += tile) {
                            source.fill(Channel::first, step, first, out);
                          }
                        }));
  // Drawn, rounded exactly and added, tile by tile in the nearest cache.
  constexpr std::size_t horizon = 1'000'000;
  ShapedNoise rounded(Filter::identity(horizon), source, Channel::first,
                      NoiseScale::uniform(normals, 0x1p20));
  result["fill_rounded"] = rate(count, timed(options.effort, [&] {
                                  rounded.begin_step();
                                  constexpr std::size_t piece = FilterStream::tile;
                                  for (std::size_t first = 0; first < normals; first += piece) {
                                    rounded.add_tile(first, std::span(out).first(piece));
                                  }
                                  rounded.end_step();
                                }));
  Keystream keystream;
  result["keystream_limit"] = rate(count, timed(options.effort, [&] { keystream.make(normals); }));
  result["bytes_a_normal"] = bytes_a_normal;
  result["identity_noise"] = shaped_rate(Filter::identity(horizon), options.effort);
  result["scaled_blt_noise"] =
      shaped_rate(Shape::scaled_blt(4).filter(prefix(), Horizon(horizon)), options.effort);
  return result;
}

}  // namespace jme::bench
