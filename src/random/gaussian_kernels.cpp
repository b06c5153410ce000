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

/// Steps of BoxMuller in a chunk.
constexpr std::size_t kMostSteps = kChunkPairs;

void NormalsFromBits(const std::uint64_t* words, const std::uint64_t* tails, double* out, std::size_t pairs) {
  HWY_ALIGN std::uint64_t bits[2 * kChunkPairs] = {};
  HWY_ALIGN std::uint64_t fractions[kChunkPairs] = {};
  HWY_ALIGN double normals[2 * kChunkPairs];
  std::uint32_t again[kMostSteps];
  while (pairs > 0) {
    const std::size_t taken = std::min(pairs, kChunkPairs);
    std::copy_n(words, 2 * taken, bits);
    std::copy_n(tails, taken, fractions);
    const std::size_t count = BoxMuller(bits, normals, RoundUp(taken, PairsAtOnce()), {}, 0, again);
    for (std::size_t k = 0; k < count; ++k) {
      BoxMullerWithFractions(bits + again[k], fractions + again[k] / 2, normals + again[k]);
    }
    std::copy_n(normals, 2 * taken, out);
    words += 2 * taken;
    tails += taken;
    out += 2 * taken;
    pairs -= taken;
  }
}

/// A step of BoxMuller, from `pair` on, with the further digits of its radii: two pairs share a block.
HWY_NOINLINE void FillAgain(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t pair,
                            const std::uint64_t* bits, double* out) {
  HWY_ALIGN std::uint64_t fractions[std::max<std::size_t>(2, hn::MaxLanes(hn::ScalableTag<double>()))];
  KeystreamBlocks(schedule, prefix, first_fraction_block + pair / 2, fractions, (PairsAtOnce() + 1) / 2);
  BoxMullerWithFractions(bits, fractions + pair % 2, out);
}

void FillNormals(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t first, double* out,
                 std::size_t count, const Upcoming& upcoming) {
  HWY_ALIGN std::uint64_t bits[2 * kChunkPairs];
  HWY_ALIGN double normals[2 * kChunkPairs];
  std::uint32_t again[kMostSteps];
  // Start at a multiple of four normals, so that no step divides a fraction block, and drop what comes before
  // `first`.
  std::uint64_t pair = first / 4 * 2;
  std::size_t skip = first % 4, done = 0;
  while (count > 0) {
    const std::size_t pairs = std::min(RoundUp((skip + count + 1) / 2, PairsAtOnce()), kChunkPairs);
    KeystreamBlocks(schedule, prefix, pair, bits, pairs);
    const std::size_t taken = std::min(count, 2 * pairs - skip);
    double* to = taken == 2 * pairs ? out : normals;
    const std::size_t steps = BoxMuller(bits, to, pairs, upcoming, done, again);
    for (std::size_t k = 0; k < steps; ++k) {
      FillAgain(schedule, prefix, pair + again[k] / 2, bits + again[k], to + again[k]);
    }
    if (to == normals) std::copy_n(normals + skip, taken, out);
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
