#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include <jme/models/density.hpp>
#include <jme/models/divisors.hpp>
#include <jme/models/interval.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>
#include <jme/models/running_moments.hpp>
#include <jme/models/sample_size.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// Which errors an interval covers.
enum class IntervalKind {
  noise,  ///< of the noise: the interval is for the number of these rows
  total,  ///< of the noise, and of these rows as a sample: for the population they were drawn from
  none,   ///< there are no intervals of what is not linear, which take time
};

/// Something that is not linear in what was released, and of which there shall be intervals.
struct Quantity {
  /// One group of numbers with the same range.
  struct Part {
    Eigen::MatrixXd estimate{}, noise_std{};  ///< what is published, and its noise to first order
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    /// Rows are directions, vectors of length 1: a row that is off by more than its length is not known.
    bool has_directions = false;
  };
  std::vector<Part> parts;
  /// The same parts of other moments; NaN where they have no such number.
  std::function<std::vector<Eigen::MatrixXd>(const RunningMoments& moments)> draw;
  /// False: `draw` takes moments of which only some entries are known.
  bool needs_whole_covariance = true;
};

[[nodiscard]] Quantity quantity_of_correlation(const MatrixEstimate& correlation);
[[nodiscard]] Quantity quantity_of_precision(const MatrixEstimate& precision);
/// Three parts: values, shares, components.
[[nodiscard]] Quantity quantity_of(const PrincipalComponents& components);
/// Two parts: intercept, coefficients.
[[nodiscard]] Quantity quantity_of(const LinearRegression& regression);
/// log_det alone: mean and covariance are linear.
[[nodiscard]] Quantity quantity_of(const GaussianDensity& density);

/// 95% intervals by a parametric bootstrap: 200 draws of the release as if the estimates were the truth, with
/// fresh noise of the release's own law on every number of every channel. The half-width is 1.96 times the
/// root mean square of (draw - estimate), which has the bias of the estimate in it, and at least 1.96
/// noise_std (docs/theory/estimates.md#intervals).
///
///     Bootstrap bootstrap(release, divisors, moments, IntervalKind::noise);
///     const std::size_t at = bootstrap.add(quantity_of_correlation(correlation(moments)));
///     bootstrap.run();
///     bootstrap.interval(at).low;
///
/// The draws come from an ordinary generator whose seed is a digest of the released numbers: the same release
/// always has the same intervals. Nothing here knows the engine's key or noise. All must outlive run().
class Bootstrap {
 public:
  static constexpr std::size_t draws = 200;
  /// No interval where more than this share of the draws gives no number.
  static constexpr double most_unusable = 0.05;

  /// `rows_per_person` is for `total`: see SampleSize.
  Bootstrap(const Release& release, const Divisors& divisors, const RunningMoments& moments,
            IntervalKind kind = IntervalKind::noise, double rows_per_person = 1);

  /// The place of its intervals.
  std::size_t add(Quantity quantity);
  void run();
  [[nodiscard]] const MatrixInterval& interval(std::size_t place, std::size_t part = 0) const {
    return intervals_[place][part];
  }

 private:
  const Release& release_;
  const Divisors& divisors_;
  const RunningMoments& moments_;
  IntervalKind kind_;
  SampleSize size_;
  std::vector<Quantity> quantities_;
  std::vector<std::vector<MatrixInterval>> intervals_;
};

}  // namespace jme
