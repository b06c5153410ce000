#pragma once

#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <jme/models/estimate.hpp>

namespace jme {

/// Half of a 95% interval in standard deviations: the 97.5% quantile of the standard normal.
inline constexpr double half_95 = 1.959963984540054;

/// Why a number has no interval.
enum class NoInterval {
  few_rows,    ///< the number itself is unknown: a count it needs is not above its noise
  unusable,    ///< more than 5% of the bootstrap draws gave no number
  wide,        ///< the interval would be wider than the range of the quantity
  not_finite,  ///< the standard deviation of the noise is not finite
};
/// One sentence for people.
[[nodiscard]] std::string_view sentence(NoInterval reason);

/// The ends of 95% intervals, in the shape of the numbers they are for; NaN where there is none. `reasons`
/// says why, each reason once; empty if there are intervals everywhere.
struct NumberInterval {
  double low, high;
  std::vector<NoInterval> reasons{};
};
struct VectorInterval {
  Eigen::VectorXd low, high;
  std::vector<NoInterval> reasons{};
};
struct MatrixInterval {
  Eigen::MatrixXd low, high;
  std::vector<NoInterval> reasons{};
};

/// value +- half_95 noise_std: right for numbers that are linear in what was released.
[[nodiscard]] NumberInterval interval_of(const Estimate& estimate);
[[nodiscard]] VectorInterval interval_of(const VectorEstimate& estimate);
[[nodiscard]] MatrixInterval interval_of(const MatrixEstimate& estimate);

}  // namespace jme
