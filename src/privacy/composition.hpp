#pragma once

#include <cstddef>
#include <vector>

#include "privacy/loss_cumulants.hpp"
#include "privacy/loss_distribution.hpp"

namespace jme::privacy {

/// Upper bounds on delta at equally spaced epsilons for the sum of independent losses. Between two of them
/// delta is at most linear in e^epsilon, because the curve is a maximum of such lines.
class DeltaCurve {
 public:
  /// `steps` losses of `step`, by one FFT of the law tilted as `window` says. Every error is bounded and
  /// added (src/privacy/GUARANTEES.md, Composition).
  DeltaCurve(const LossDistribution& step, double steps, const Window& window);

  /// Least epsilon >= 0 whose bound is at most delta; infinity where the window has none.
  [[nodiscard]] double epsilon(double delta) const;
  /// Bound at epsilon; 1 where the window does not reach down to it.
  [[nodiscard]] double delta(double epsilon) const;

 private:
  double first_, spacing_;      // epsilon of the lowest point
  std::vector<double> deltas_;  // falling with epsilon up to rounding
  double beyond_;               // bound past the last point
};

/// Relative error of Eigen's FFT of 2^k points in the Euclidean norm, either way (Higham 2002, Theorem 24.2:
/// 6.7 units of 2^-53 per stage for accurate twiddle factors).
[[nodiscard]] double fft_error(std::size_t points);

}  // namespace jme::privacy
