#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// T x and T^-1 x for the filter's core T (after inversion), x at most as long as the filter has steps.
[[nodiscard]] std::vector<double> apply_core(const Toeplitz& core, std::span<const double> x);
[[nodiscard]] std::vector<double> solve_core(const Toeplitz& core, std::span<const double> x);

/// The first n coefficients of T and of T^-1, without zeros at the end where the recursion shows that only
/// zeros follow: of a decaying series of taps, a few thousand of a million.
[[nodiscard]] std::vector<double> core_response(const Toeplitz& core, std::size_t n);
[[nodiscard]] std::vector<double> inverse_core_response(const Toeplitz& core, std::size_t n);

/// True for taps that are one number repeated and no modes: a window.
[[nodiscard]] bool is_window(const Toeplitz& series);

/// Values of a decaying recursion are set to zero when they fall below this: they cannot change any sum, and
/// subnormal numbers would make every later step a hundred times slower.
inline constexpr double negligible = 1e-300;
inline double flushed(double value) {
  return std::abs(value) < negligible ? 0.0 : value;
}

}  // namespace jme
