#pragma once

#include <cstddef>
#include <span>

#include <jme/filter/filter.hpp>

namespace jme {

// The inner loops of FilterStream, with the SIMD instructions of the processor at hand. Each coordinate gets
// the same additions and multiplications in the same order, none of them fused, so that every target gives
// the same bits. Counts are multiples of 8.

/// One step of a filter whose only tap is the first. Mode m's running sums are at states + m * stride.
struct OneTapStep {
  double in;   ///< factor of the input
  double tap;  ///< the first tap
  double out;  ///< factor of the output
  std::span<const Mode> modes;
  double* states;
  std::size_t stride;
};
/// y = tap u + sum_m weight_m S_m;  S_m <- pole_m S_m + u;  values <- out y,  with u = in * values.
void series_step(const OneTapStep& step, double* values, std::size_t count);
/// The same for tap = weight = pole = 1, a running sum: S <- S + u;  to <- unit (out S).
void running_sum_step(const OneTapStep& step, double unit, const double* values, double* to,
                      std::size_t count);

struct Weighted {
  double weight;
  const double* values;
};
/// sum <- the terms' sum in their order, or sum + it, term by term.
void assign_weighted(std::span<const Weighted> terms, double* sum, std::size_t count);
void add_weighted(std::span<const Weighted> terms, double* sum, std::size_t count);
/// sum <- pole * sum + input
void advance_sum(double pole, const double* input, double* sum, std::size_t count);
void scale(double factor, double* values, std::size_t count);
/// to <- factor * values, and no number after them; `count` may be any number.
void write_scaled(double factor, const double* values, double* to, std::size_t count);
/// Sets what has decayed below `negligible` to zero.
void flush(double* values, std::size_t count);

}  // namespace jme
