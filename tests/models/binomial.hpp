#pragma once

// Limits for the share of successes among many runs.
#include <cmath>
#include <cstddef>

namespace jme::test {

inline constexpr double tail = 21.5;  // exp(-21.5) < 5e-10 per side

/// Relative entropy of two coins: P(share beyond q) <= exp(-runs * this).
inline double relative_entropy(double q, double p) {
  return q * std::log(q / p) + (1 - q) * std::log((1 - q) / (1 - p));
}

/// The share that a coin of this probability goes beyond with probability below 5e-10, upwards or downwards.
inline double limit(double probability, std::size_t runs, bool upwards) {
  double near = probability, far = upwards ? 1 - 1e-12 : 1e-12;
  for (int i = 0; i < 100; ++i) {
    const double middle = (near + far) / 2;
    (relative_entropy(middle, probability) * static_cast<double>(runs) < tail ? near : far) = middle;
  }
  return far;
}

}  // namespace jme::test
