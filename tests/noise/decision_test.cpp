#include <cstdint>

#include <gtest/gtest.h>

#include "noise/redecided_draws.hpp"
#include "noise/tie_frequency.hpp"
#include "random/precise_draw.hpp"

namespace jme {
namespace {

using redecided::Chunk;
using redecided::Kind;

// The reference against 134 digits: every continuation of the bits that were read lies within its error.
TEST(LongDoubleReference, HoldsEveryContinuationOfTheReadBits) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no wider than double";
  for (const Kind kind : redecided::all_kinds) {
    for (std::uint64_t number = 0; number < 2; ++number) {
      const Chunk chunk(kind, number, 1, redecided::Past::none);
      for (std::size_t i = 0; i < redecided::chunk_draws; ++i) {
        const EndlessBits bits{.read = chunk.bits(i), .next = {}};
        const auto range = range_after(bits, chunk.half(i), {.scale = 1, .ratio = 1, .offset = 0}, 0);
        if (!range) continue;
        const redecided::ReferencePair pair = redecided::reference_pair(bits.read);
        const Precise draw = i % 2 == 0 ? pair.first : pair.second;
        const Precise spread = i % 2 == 0 ? pair.first_spread : pair.second_spread;
        const Precise error = Precise(redecided::reference_error) * abs(draw) + spread;
        ASSERT_LE(abs(range->first - draw), error) << redecided::name_of(kind) << ' ' << i;
        ASSERT_LE(abs(range->second - draw), error) << redecided::name_of(kind) << ' ' << i;
      }
    }
  }
}

// Draws as the kernel decides them, against long double: none is farther from its draw than the proved bound,
// whatever bits follow, and none is rounded to another whole number.
TEST(Decision, OfAMillionDrawsOfEachKindIsThatOfLongDouble) {
  redecided::expect_agreement(1'000'000, 65, false);
}

// The same, and exact arithmetic decides each of them again.
TEST(Decision, OfTwoThousandDrawsOfEachKindIsThatOfExactArithmetic) {
  redecided::expect_agreement(2'000, 3, true);
}

TEST(Decision, NeedsExactArithmeticAsOftenAsTheToleranceSays) {
  tie_frequency::expect_predicted(4'000'000, 0);
  tie_frequency::expect_predicted(4'000'000, 4);
}

}  // namespace
}  // namespace jme
