// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_WANT_AVX3_DL
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "random/gaussian_kernels.cpp"
#include "random/gaussian_kernels.hpp"

#include <algorithm>
#include <cstddef>

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "random/aes_ctr-inl.hpp"
#include "random/box_muller-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {

// Keystream and normals of one chunk stay in the first-level cache. Even, so that a chunk owns whole fraction
// blocks.
constexpr std::size_t kChunkPairs = 256;

inline std::size_t RoundUp(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

void Keystream(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t block, std::uint64_t* out,
               std::size_t words) {
  HWY_ALIGN std::uint64_t bits[2 * kChunkPairs];
  while (words > 0) {
    const std::size_t blocks = std::min(words / 2, kChunkPairs);
    KeystreamBlocks(schedule, prefix, block, bits, RoundUp(blocks, PairsAtOnce()));
    std::copy_n(bits, 2 * blocks, out);
    out += 2 * blocks;
    words -= 2 * blocks;
    block += blocks;
  }
}

void NormalsFromBits(const std::uint64_t* words, const std::uint64_t* tails, double* out, std::size_t pairs) {
  HWY_ALIGN std::uint64_t bits[2 * kChunkPairs] = {};
  HWY_ALIGN std::uint64_t fractions[kChunkPairs] = {};
  HWY_ALIGN double normals[2 * kChunkPairs];
  while (pairs > 0) {
    const std::size_t taken = std::min(pairs, kChunkPairs);
    std::copy_n(words, 2 * taken, bits);
    std::copy_n(tails, taken, fractions);
    BoxMuller(bits, fractions, normals, RoundUp(taken, PairsAtOnce()), {}, 0);
    std::copy_n(normals, 2 * taken, out);
    words += 2 * taken;
    tails += taken;
    out += 2 * taken;
    pairs -= taken;
  }
}

void FillNormals(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t first, double* out,
                 std::size_t count, const Upcoming& upcoming) {
  HWY_ALIGN std::uint64_t bits[2 * kChunkPairs];
  HWY_ALIGN std::uint64_t fractions[kChunkPairs];
  HWY_ALIGN double normals[2 * kChunkPairs];
  // Two pairs share a fraction block: start at a multiple of four normals and drop what comes before `first`.
  std::uint64_t pair = first / 4 * 2;
  std::size_t skip = first % 4, done = 0;
  while (count > 0) {
    const std::size_t pairs = std::min(RoundUp((skip + count + 1) / 2, PairsAtOnce()), kChunkPairs);
    KeystreamBlocks(schedule, prefix, pair, bits, pairs);
    KeystreamBlocks(schedule, prefix, first_fraction_block + pair / 2, fractions, (pairs + 1) / 2);
    const std::size_t taken = std::min(count, 2 * pairs - skip);
    if (taken == 2 * pairs) {
      BoxMuller(bits, fractions, out, pairs, upcoming, done);
    } else {
      BoxMuller(bits, fractions, normals, pairs, upcoming, done);
      std::copy_n(normals + skip, taken, out);
    }
    out += taken;
    done += taken;
    count -= taken;
    pair += pairs;
    skip = 0;
  }
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(Keystream);
HWY_EXPORT(NormalsFromBits);
HWY_EXPORT(FillNormals);

void keystream(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t first_block,
               std::span<std::uint64_t> out) {
  HWY_DYNAMIC_DISPATCH(Keystream)(schedule, prefix, first_block, out.data(), out.size());
}

void normals_from_bits(std::span<const std::uint64_t> bits, std::span<const std::uint64_t> fractions,
                       std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(NormalsFromBits)(bits.data(), fractions.data(), out.data(), fractions.size());
}

void fill_normals(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t first,
                  std::span<double> out, const Upcoming& upcoming) {
  HWY_DYNAMIC_DISPATCH(FillNormals)(schedule, prefix, first, out.data(), out.size(), upcoming);
}

}  // namespace jme
#endif
