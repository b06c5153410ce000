#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <jme/models/bootstrap.hpp>
#include <jme/models/correlation.hpp>

#include "models/model_values.hpp"
#include "models/simulated_release.hpp"

namespace jme {
namespace {

// Two equal variances seem farther apart than this in 1% of the releases: the difference of the eigenvalues
// of two columns of noise has the law of Rayleigh, exp(-9/2).
constexpr double least_separation = 3;

/// Sums over the draws, number by number.
struct Sums {
  explicit Sums(const Eigen::MatrixXd& like)
      : squares(Eigen::MatrixXd::Zero(like.rows(), like.cols())), usable(squares) {}

  void add(const Eigen::MatrixXd& drawn, const Eigen::MatrixXd& estimate) {
    const Eigen::ArrayXXd off = drawn.array() - estimate.array();
    squares.array() += off.isFinite().select(off.square(), 0.0);
    usable.array() += off.isFinite().cast<double>();
  }
  Eigen::MatrixXd squares, usable;
};

Eigen::MatrixXd one(double number) {
  return Eigen::MatrixXd::Constant(1, 1, number);
}

/// `part` with the range, of this estimate.
template <class Numbers>
Quantity::Part part_of(const Numbers& estimate, Quantity::Part part = {}) {
  if constexpr (std::is_same_v<Numbers, Estimate>) {
    part.estimate = one(estimate.value);
    part.noise_std = one(estimate.noise_std);
  } else {
    part.estimate = estimate.value;
    part.noise_std = estimate.noise_std;
  }
  return part;
}

void add_reason(MatrixInterval& interval, NoInterval reason) {
  if (std::find(interval.reasons.begin(), interval.reasons.end(), reason) == interval.reasons.end()) {
    interval.reasons.push_back(reason);
  }
}

// A sign is arbitrary: the one that agrees with the published direction.
Eigen::MatrixXd aligned(const Eigen::MatrixXd& drawn, const Eigen::MatrixXd& published) {
  Eigen::MatrixXd result = drawn;
  for (Eigen::Index i = 0; i < result.rows(); ++i) {
    if (result.row(i).dot(published.row(i)) < 0) result.row(i) = -result.row(i);
  }
  return result;
}

MatrixInterval interval_from(const Quantity::Part& part, const Sums& sums, bool is_known) {
  const Eigen::MatrixXd& value = part.estimate;
  MatrixInterval result{.low = value, .high = value};
  const Eigen::MatrixXd mean_squares = sums.squares.cwiseQuotient(sums.usable);
  const double enough = (1 - Bootstrap::most_unusable) * static_cast<double>(Bootstrap::draws);
  for (Eigen::Index i = 0; i < value.rows(); ++i) {
    // The estimate is flatter than the truth, and in a flatter world it has less error. To first order the
    // noise is that of an estimate that was not shrunk.
    const Eigen::VectorXd squares =
        mean_squares.row(i).cwiseMax(part.noise_std.row(i).cwiseAbs2()).transpose();
    const bool has_direction = !part.has_directions || squares.sum() < 1;
    for (Eigen::Index j = 0; j < value.cols(); ++j) {
      const double half = half_95 * std::sqrt(squares(j));
      double &low = result.low(i, j), &high = result.high(i, j);
      const auto none = [&](NoInterval reason) {
        add_reason(result, reason);
        low = high = NAN;
      };
      if (std::isnan(value(i, j))) {
        none(is_known ? NoInterval::unusable : NoInterval::few_rows);
      } else if (sums.usable(i, j) < enough) {
        none(NoInterval::unusable);
      } else if (!has_direction || !std::isfinite(half) || 2 * half > part.most - part.least) {
        none(NoInterval::wide);
      } else {
        low = std::max(part.least, value(i, j) - half);
        high = std::min(part.most, value(i, j) + half);
      }
    }
  }
  return result;
}

// Before all counts are known only correlations are there, of the pairs that are.
std::vector<Eigen::MatrixXd> drawn_from(const Quantity& quantity, const RunningMoments& moments) {
  if (moments.is_known() || !quantity.needs_whole_covariance) return quantity.draw(moments);
  std::vector<Eigen::MatrixXd> none;
  for (const Quantity::Part& part : quantity.parts) {
    none.emplace_back(Eigen::MatrixXd::Constant(part.estimate.rows(), part.estimate.cols(), NAN));
  }
  return none;
}

}  // namespace

Quantity quantity_of_correlation(const MatrixEstimate& correlation) {
  Quantity result;
  result.parts = {part_of(correlation, {.least = -1, .most = 1})};
  result.draw = [](const RunningMoments& moments) {
    return std::vector{models::correlations(moments).value};
  };
  result.needs_whole_covariance = false;
  return result;
}

Quantity quantity_of_precision(const MatrixEstimate& precision) {
  Quantity result;
  result.parts = {part_of(precision)};
  result.draw = [](const RunningMoments& moments) {
    Eigen::MatrixXd drawn = models::precision_values(moments);
    // At the floor nothing is known but that the entry is large.
    if (moments.is_floored()) drawn.setConstant(NAN);
    return std::vector{std::move(drawn)};
  };
  return result;
}

Quantity quantity_of(const PrincipalComponents& components) {
  const Eigen::MatrixXd directions = components.components.value;
  Quantity result;
  result.parts = {part_of(components.values, {.least = 0}),
                  part_of(components.shares, {.least = 0, .most = 1}),
                  part_of(components.components, {.least = -1, .most = 1, .has_directions = true})};
  for (Eigen::Index i = 0; i < directions.rows(); ++i) {
    if (components.separations(i) < least_separation) result.parts[2].noise_std.row(i).setConstant(INFINITY);
  }
  result.draw = [directions](const RunningMoments& moments) -> std::vector<Eigen::MatrixXd> {
    const models::Components drawn = models::components_of(moments);
    const Eigen::Index k = directions.rows();
    const Eigen::VectorXd values = drawn.values.cwiseMax(0.0);
    return {values.head(k), values.head(k) / values.sum(), aligned(drawn.vectors.topRows(k), directions)};
  };
  return result;
}

Quantity quantity_of(const LinearRegression& regression) {
  Quantity result;
  result.parts = {part_of(regression.intercept), part_of(regression.coefficients)};
  result.draw = [target = regression.target](const RunningMoments& moments) -> std::vector<Eigen::MatrixXd> {
    const Eigen::VectorXd drawn = models::natural_line(moments, target, models::ridge_fit(moments, target));
    return {drawn.head(1), drawn.tail(drawn.size() - 1)};
  };
  return result;
}

Quantity quantity_of(const GaussianDensity& density) {
  Quantity result;
  result.parts = {part_of(density.log_det())};
  result.draw = [](const RunningMoments& moments) -> std::vector<Eigen::MatrixXd> {
    return {one(moments.is_floored() ? NAN : models::log_det_value(moments))};
  };
  return result;
}

Bootstrap::Bootstrap(const Release& release, const Divisors& divisors, const RunningMoments& moments,
                     IntervalKind kind, double rows_per_person)
    : release_(release),
      divisors_(divisors),
      moments_(moments),
      kind_(kind),
      size_(release, divisors, rows_per_person) {}

std::size_t Bootstrap::add(Quantity quantity) {
  quantities_.push_back(std::move(quantity));
  return quantities_.size() - 1;
}

void Bootstrap::run() {
  std::vector<std::vector<Sums>> sums;
  for (const Quantity& quantity : quantities_) {
    sums.emplace_back();
    for (const Quantity::Part& part : quantity.parts) sums.back().emplace_back(part.estimate);
  }
  models::SimulatedRelease simulated(release_, divisors_, moments_,
                                     kind_ == IntervalKind::total ? &size_ : nullptr);
  for (std::size_t draw = 0; draw < draws && !quantities_.empty(); ++draw) {
    const Release release = simulated.next();
    const RunningMoments moments(moments_, release, Divisors(release, simulated.known()));
    for (std::size_t q = 0; q < quantities_.size(); ++q) {
      const std::vector<Eigen::MatrixXd> drawn = drawn_from(quantities_[q], moments);
      for (std::size_t p = 0; p < drawn.size(); ++p) {
        sums[q][p].add(drawn[p], quantities_[q].parts[p].estimate);
      }
    }
  }
  intervals_.clear();
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    intervals_.emplace_back();
    for (std::size_t p = 0; p < sums[q].size(); ++p) {
      intervals_.back().push_back(interval_from(quantities_[q].parts[p], sums[q][p], moments_.is_known()));
    }
  }
}

}  // namespace jme
