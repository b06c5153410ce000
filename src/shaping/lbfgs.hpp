#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace jme::shaping {

/// Value at `x`; writes the gradient. May return a non-finite value where the function is not defined.
using Differentiable = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct Minimum {
  std::vector<double> x;
  double value;
  std::size_t iterations;
};

struct LbfgsOptions {
  std::size_t max_iterations = 500;
  double gradient_tolerance = 1e-8;  ///< on the largest component
  double value_tolerance = 1e-13;    ///< stop when ten iterations together gain less than this
};

/// Limited-memory BFGS with a bisecting line search for the weak Wolfe conditions (Nocedal & Wright, chapter
/// 7; Lewis & Overton 2013 for the search, which also copes with infinite values). Deterministic.
[[nodiscard]] Minimum minimise(const Differentiable& function, std::vector<double> start,
                               const LbfgsOptions& options = {});

/// The gradient by central differences, for functions that are cheap and accurate to rounding.
[[nodiscard]] Differentiable by_differences(std::function<double(std::span<const double>)> function,
                                            double step = 1e-5);

}  // namespace jme::shaping
