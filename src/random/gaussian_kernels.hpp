#pragma once

#include <cstdint>
#include <span>

#include "base/upcoming.hpp"
#include "random/aes_schedule.hpp"

namespace jme {

/// Where a counter block starts: its first eight bytes, channel (1 byte) and step (7 bytes), as one
/// big-endian number.
using CounterPrefix = std::uint64_t;

// Each of these runs the best code for the processor at hand (Highway dynamic dispatch). The keystream is the
// same on all; normals differ in their last bits where a processor fuses multiplications with additions.

/// AES-256-CTR keystream, two words per block: block i is the cipher of (prefix, first_block + i), both big
/// endian. `out` has an even size.
void keystream(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t first_block,
               std::span<std::uint64_t> out);

/// Pair j of normals from its words: radius bits[2 j] with further digits fractions[j] (which matter near 0
/// and 1 only), angle bits[2 j + 1].
/// `out` is as long as `bits`, `fractions` half as long.
void normals_from_bits(std::span<const std::uint64_t> bits, std::span<const std::uint64_t> fractions,
                       std::span<double> out);

/// Pair j has block j of the stream and, for the further digits of its radius, half of block 2^63 + j / 2.
constexpr std::uint64_t first_fraction_block = std::uint64_t{1} << 63;
/// Block `number` (below 64) of the bits that follow them, for the few draws that need more. Pairs are below
/// 2^55, so that no block serves twice.
constexpr std::uint64_t further_block(std::uint64_t pair, std::uint64_t number) {
  return std::uint64_t{1} << 62 | number << 55 | pair;
}

/// out[i] = normal number `first + i` of the stream `prefix`: both of the above in one pass. first +
/// out.size() <= 2^56. Meanwhile it fetches out.size() numbers of each of `upcoming`.
void fill_normals(const AesSchedule& schedule, CounterPrefix prefix, std::uint64_t first,
                  std::span<double> out, const Upcoming& upcoming = {});

}  // namespace jme
