// The workload's own output in natural units: sums of c + h u and of their products over present cells.
#include <array>
#include <cmath>

#include <jme/models/covariance.hpp>

#include "models/release_checks.hpp"

namespace jme {
namespace {

// How many rows count for column i, with noise: never NaN, because sums need no division.
struct Count {
  double value, noise_std;
};

Count rows_with(const Release& release, std::size_t i) {
  if (release.layout().cell_counts) return {.value = release.counts()[i], .noise_std = release.std_count()};
  if (release.row_count()) return {.value = *release.row_count(), .noise_std = release.std_rows()};
  return {.value = release.weight_first(), .noise_std = 0};
}

Count rows_with(const Release& release, std::size_t i, std::size_t j) {
  if (release.layout().cell_counts) {
    if (i == j) return rows_with(release, i);
    return {.value = release.pair_counts()[pair_index(std::min(i, j), std::max(i, j), release.dimension())],
            .noise_std = release.std_pair_count()};
  }
  if (release.row_count()) return rows_with(release, i);
  return {.value = release.weight_second(), .noise_std = 0};
}

// The sum of one column over the rows in which another is there too, c x where x is that sum.
struct Cross {
  double value = 0, noise_std = 0;
  double by_count = 0;  // how it moves with the count of pairs
};

// Only the sum over all rows that have the column is released. Where cells may be absent, its mean times the
// number of pairs stands for the sum over the pairs.
Cross cross(const Release& release, const Divisors& divisors, double c, std::size_t i, std::size_t other) {
  if (c == 0) return {};
  const double sum = release.first()[i];
  if (!release.layout().cell_counts || i == other) {
    return {.value = c * sum, .noise_std = std::abs(c) * release.std_first()};
  }
  const double n = divisors.first(i), pairs = rows_with(release, i, other).value;
  const double mean = sum / n;
  return {.value = c * mean * pairs,
          .noise_std = std::abs(c * pairs / n) * std::hypot(release.std_first(), mean * release.std_count()),
          .by_count = c * mean};
}

}  // namespace

MeanEstimate natural_first(const Release& release, const Units& units) {
  models::check_release(release, units);
  MeanEstimate result{.value = units.centre, .noise_std = units.half_width.cwiseAbs()};
  for (std::size_t i = 0; i < release.dimension(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const Count rows = rows_with(release, i);
    result.value(k) = rows.value * units.centre(k) + units.half_width(k) * release.first()[i];
    result.noise_std(k) =
        std::hypot(result.noise_std(k) * release.std_first(), units.centre(k) * rows.noise_std);
  }
  return result;
}

CovarianceEstimate natural_second(const Release& release, const Units& units) {
  return natural_second(release, units, Divisors(release));
}

CovarianceEstimate natural_second(const Release& release, const Units& units, const Divisors& divisors) {
  models::check_second(release, units, false);
  const Eigen::VectorXd &c = units.centre, &h = units.half_width;
  const bool full = release.second_kind() == SecondMoment::full;
  const Eigen::Index d = c.size();
  CovarianceEstimate result{.value = release.second_matrix(), .noise_std = Eigen::MatrixXd::Zero(d, d)};
  // sum w (c + h u)(c + h u)' = N cc' + c (h Y)' + (h Y) c' + h S h, if N, Y and S have the same weights.
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i; j < (full ? d : i + 1); ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const Count rows = rows_with(release, a, b);
      const Cross of_j = cross(release, divisors, c(i) * h(j), b, a);
      const Cross of_i = cross(release, divisors, c(j) * h(i), a, b);
      result.value(i, j) =
          result.value(i, j) * h(i) * h(j) + rows.value * c(i) * c(j) + of_j.value + of_i.value;
      const double product =
          std::abs(h(i) * h(j)) * (i == j ? release.std_second() : release.std_off_diagonal());
      // On the diagonal both terms are the same one.
      const double crossing = i == j ? 2 * of_i.noise_std : std::hypot(of_i.noise_std, of_j.noise_std);
      const double counting = std::abs(c(i) * c(j) + of_i.by_count + of_j.by_count) * rows.noise_std;
      result.noise_std(i, j) =
          release.shares_noise() ? product + crossing : std::hypot(product, crossing, counting);
      result.value(j, i) = result.value(i, j);
      result.noise_std(j, i) = result.noise_std(i, j);
    }
  }
  return result;
}

}  // namespace jme
