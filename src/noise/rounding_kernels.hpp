#pragma once

#include <cstddef>

#include "filter/stream.hpp"

namespace jme {

/// Nearest whole number for |x| < 2^51, without a call or a branch: the sum has no digits below 1, so that
/// adding rounds.
[[nodiscard]] inline double nearest_whole(double x) {
  constexpr double shift = 0x1.8p52;
  return (x + shift) - shift;
}

/// Decides a number that is too near the middle between two whole numbers: coordinate i of the tile, from its
/// computed own part and past.
struct Decision {
  const void* context;
  double (*decide)(const void* context, std::size_t i, double own, double past);
};

/// One step of rounded noise:
///     v = fresh z + past P,   y = nearest whole number of v,   values += y,   taken = column y.
/// y is certain where |v - y| + 2^-52 |v| <= limit, and is decided by `decision` where that does not hold or
/// something is NaN.
struct RoundedStep {
  double fresh, past, column;
  double limit;
  Decision decision;
};

// With the SIMD instructions of the processor at hand; every target gives the same bits. `count` is a
// multiple of 8.

/// P from `sums` (null: there is no past); `taken` may be null, or the same as `sums`.
void rounded_step(const RoundedStep& step, const double* draws, const double* sums, double* values,
                  double* taken, std::size_t count);
/// P = sum_m weight_m S_m and S_m <- pole_m S_m + taken in one pass.
void rounded_step(const RoundedStep& step, const double* draws, const RunningSums& sums, double* values,
                  std::size_t count);

/// The same with sums of two words, S_m + (the second words, in the same layout as the sums), for poles in
/// [0, 1): S_m <- S_m - (1 - pole_m) S_m + column y without what one word loses.
void rounded_step(const RoundedStep& step, const double* draws, const RunningSums& sums, double* second_words,
                  double* values, std::size_t count);

}  // namespace jme
