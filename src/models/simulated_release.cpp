#include "models/simulated_release.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "models/spectrum.hpp"

namespace jme::models {
namespace {

// The finaliser of SplitMix64: every bit of the result depends on every bit of the value.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

KnownCounts known_of(const Release& release, const Divisors& divisors) {
  KnownCounts known;
  const std::size_t d = release.dimension();
  known.rows = divisors.kind() == Divisors::Kind::rows && !std::isnan(divisors.first(0));
  if (divisors.kind() != Divisors::Kind::cells) return known;
  for (std::size_t i = 0; i < d; ++i) known.cells.push_back(!std::isnan(divisors.first(i)));
  for (std::size_t i = 0; release.layout().count_of_pairs() > 0 && i < d; ++i) {
    for (std::size_t j = i + 1; j < d; ++j) known.pairs.push_back(!std::isnan(divisors.second(i, j)));
  }
  return known;
}

}  // namespace

std::uint64_t digest(const Release& release) {
  std::uint64_t result = mixed(release.rows() + 1);
  for (const double number : release.packed()) {
    // A zero has two signs.
    result = mixed(result + 0x9e3779b97f4a7c15U) ^ std::bit_cast<std::uint64_t>(number + 0.0);
  }
  return mixed(result);
}

SimulatedRelease::SimulatedRelease(const Release& release, const Divisors& divisors,
                                   const RunningMoments& moments, const SampleSize* size)
    : release_(release),
      divisors_(divisors),
      mean_(moments.mean()),
      covariance_(moments.covariance()),
      known_(known_of(release, divisors)),
      packed_(release.packed()),
      first_at_(packed_.size() - release.layout().first_size() - release.layout().second_size()),
      noise_bits_(digest(release)),
      row_bits_(mixed(digest(release))) {
  if (size == nullptr || !moments.is_known()) return;
  const auto d = mean_.size();
  rows_ = Eigen::VectorXd(d);
  pair_rows_ = Eigen::MatrixXd(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    rows_(i) = size->first(static_cast<std::size_t>(i));
    for (Eigen::Index j = 0; j < d; ++j) {
      pair_rows_(i, j) = size->second(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
  }
  const Spectrum parts = spectrum(covariance_);
  root_ = parts.vectors * parts.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

// The mean of n rows of a normal population has the covariance C/n. Their covariance matrix is L (1 + G) L',
// C = LL': the entries of G have the variance 1/n off the diagonal and 2/n on it, for any n, and are normal
// for large n.
void SimulatedRelease::add_rows(Eigen::VectorXd& mean, Eigen::MatrixXd& covariance) {
  const Eigen::Index d = mean.size();
  std::normal_distribution<double> normal;
  Eigen::VectorXd z(d);
  Eigen::MatrixXd g(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    z(i) = normal(row_bits_);
    g(i, i) = std::sqrt(2.0) * normal(row_bits_);
    for (Eigen::Index j = i + 1; j < d; ++j) g(i, j) = g(j, i) = normal(row_bits_);
  }
  mean += (root_ * z).cwiseQuotient(rows_.cwiseSqrt());
  covariance += (root_ * g * root_.transpose()).cwiseQuotient(pair_rows_.cwiseSqrt());
}

// The diagonal that was corrected by the trace: its covariance is v I + c 11' with c <= 0.
void SimulatedRelease::add_noise_on_diagonal(std::vector<double>& numbers, std::size_t begin) {
  const Eigen::Index d = mean_.size();
  const double between = release_.diagonal_covariance();
  const double alone = (release_.shares_noise() ? 2 : 1) * std::pow(release_.std_second(), 2) - between;
  Eigen::VectorXd z(d);
  for (double& value : z) value = normal();
  if (between < 0) {
    // z - a mean(z) 1 has the covariance I - (2a - a^2)/d 11'.
    const double inside = std::max(0.0, 1 + between * static_cast<double>(d) / alone);
    z.array() -= (1 - std::sqrt(inside)) * z.mean();
  }
  const bool full = release_.second_kind() == SecondMoment::full;
  for (Eigen::Index i = 0; i < d; ++i) {
    const auto k = static_cast<std::size_t>(i);
    numbers[begin + (full ? packed_index(k, k, release_.dimension()) : k)] += std::sqrt(alone) * z(i);
  }
}

Release SimulatedRelease::next() {
  const std::size_t d = release_.dimension();
  const ReleaseLayout& layout = release_.layout();
  // PP makes the noise of both channels of the same draws, and claims an upper bound: (a + b)^2 <= 2a^2 +
  // 2b^2.
  const double wider = release_.shares_noise() ? std::sqrt(2.0) : 1;
  Eigen::VectorXd mean = mean_;
  Eigen::MatrixXd covariance = covariance_;
  if (rows_.size() > 0) add_rows(mean, covariance);
  std::vector<double> numbers = packed_;
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  for (std::size_t i = 0; i < d; ++i) {
    numbers[first_at_ + i] = mean(at(i)) * divisors_.first(i) + wider * release_.std_first() * normal();
  }
  for (std::size_t k = 0; k < layout.count_of_cells(); ++k) {
    numbers[first_at_ + d + k] += release_.std_count() * normal();
  }
  const std::size_t second_at = first_at_ + layout.first_size();
  if (layout.row_count) numbers[second_at - 1] += release_.std_rows() * normal();
  const double bias = release_.bias_second() / release_.weight_second();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) {
      const double moment = covariance(at(i), at(j)) + mean(at(i)) * mean(at(j)) + (i == j ? bias : 0);
      double& number = numbers[second_at + packed_index(i, j, d)];
      number = divisors_.second(i, j) * moment;
      if (i != j) number += wider * release_.std_off_diagonal() * normal();
    }
  }
  add_noise_on_diagonal(numbers, second_at);
  for (std::size_t k = 0; k < layout.count_of_pairs(); ++k) {
    numbers[second_at + layout.moment_size() + k] += release_.std_pair_count() * normal();
  }
  return Release::unpacked(layout, release_.rows(), release_.steps(), numbers);
}

}  // namespace jme::models
