#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <jme/mechanism/mechanism.hpp>
#include <jme/theory/expected_error.hpp>

namespace jme::experiments {

/// An expected squared error as a function of the noise multiplier: square sigma^2 + fourth sigma^4. Exact,
/// because both standard deviations are proportional to sigma, the noise is symmetric and enters the
/// estimates squared at most. Two evaluations of `theory` therefore give the whole curve, and crossovers in
/// closed form.
struct SigmaCurve {
  double square, fourth;

  [[nodiscard]] static SigmaCurve through(const std::function<double(double sigma)>& squared_error);
  [[nodiscard]] double squared_error(double sigma) const;
  /// Root of the squared error: what the charts show.
  [[nodiscard]] double error(double sigma) const;
};

/// The sigma > 0 at which both are equal, if there is one.
[[nodiscard]] std::optional<double> crossover(const SigmaCurve& a, const SigmaCurve& b);

/// `error(sigma)` at every sigma.
[[nodiscard]] std::vector<double> errors_at(const SigmaCurve& curve, const std::vector<double>& sigmas);

/// `count` numbers from `low` to `high`, evenly spaced in the logarithm.
[[nodiscard]] std::vector<double> logarithmic_grid(double low, double high, std::size_t count);

/// The second moment's error at the lower end of theory's interval (attained by a stream; the supremum itself
/// where it is known) and at its proven upper end. All methods but shaped PP have one number. These are
/// errors of the ideal mechanism, as in the paper: the mechanism that really runs has up to 3.4e-7 d more
/// noise (diagonal: 3.4e-7 sqrt d), for the rounding of products to the lattice.
struct SecondErrorCurves {
  SigmaCurve attained, proven;
};
[[nodiscard]] SecondErrorCurves second_error_curves(const StreamConfig& config,
                                                    Count count = Count::symmetric);

}  // namespace jme::experiments
