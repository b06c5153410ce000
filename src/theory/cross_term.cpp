#include "theory/cross_term.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>

#include <Eigen/Cholesky>
#include <unsupported/Eigen/FFT>

namespace jme::theory {
namespace {

struct Ascent {
  Eigen::MatrixXd x;            // unit rows
  Eigen::VectorXd multipliers;  // <x_i, (M X)_i>
  double value;                 // their sum: tr(M XX')
};

// Coordinate ascent: row i moves to the direction of sum_{j != i} M_ij x_j, which maximises the value in x_i.
Ascent ascend(const Eigen::MatrixXd& m, Eigen::MatrixXd x, int sweeps) {
  const Eigen::Index n = m.rows();
  const auto measure = [&] {
    const Eigen::MatrixXd mx = m * x;
    Eigen::VectorXd multipliers = mx.cwiseProduct(x).rowwise().sum();
    const double value = multipliers.sum();
    return std::pair{std::move(multipliers), value};
  };
  auto [multipliers, value] = measure();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::RowVectorXd pull = m.row(i) * x - m(i, i) * x.row(i);
      const double length = pull.norm();
      if (length > 0) x.row(i) = pull / length;
    }
    const double before = value;
    std::tie(multipliers, value) = measure();
    if (value <= before * (1 + 1e-13)) break;
  }
  return {std::move(x), std::move(multipliers), value};
}

// lambda_max(N) of a positive semidefinite N, from below, by power iteration from a fixed random start.
double largest_eigenvalue(const Eigen::MatrixXd& n, int iterations) {
  std::mt19937 random(20);
  std::normal_distribution<double> normal;
  Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(n.rows(), [&] { return normal(random); }).normalized();
  double value = 0;
  for (int i = 0; i < iterations; ++i) {
    v = n * v;
    const double length = v.norm();
    if (length == 0) return 0;
    v /= length;
    const bool settled = std::abs(length - value) < 1e-14 * length;
    value = length;
    if (settled) break;
  }
  return value;
}

double dual_bound(const Eigen::MatrixXd& m, const Eigen::VectorXd& multipliers) {
  // M_ii <= <x_i, (MX)_i> at an ascent's fixed point, so D > 0 wherever M_ii > 0; rows that do not matter
  // (M_ii = 0, hence a zero row of M) drop out with D_i = 1 and no share in the sum.
  const Eigen::Index n = m.rows();
  Eigen::VectorXd d(n);
  double sum = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool matters = m(i, i) > 0;
    d(i) = matters ? std::max(multipliers(i), m(i, i)) : 1.0;
    if (matters) sum += d(i);
  }
  const Eigen::VectorXd scale = d.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd normalised = scale.asDiagonal() * m * scale.asDiagonal();
  const auto certified = [&](double mu) {
    Eigen::MatrixXd certificate = -normalised;
    certificate.diagonal().array() += mu;
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(certificate).info() == Eigen::Success;
  };
  // The ascent's fixed point is an eigenvector with eigenvalue 1, so lambda_max is at least that.
  const double estimate = std::max(1.0, largest_eigenvalue(normalised, 100));
  double slack = 1e-13;
  while (slack < 1e3 && !certified(estimate * (1 + slack))) slack *= 10;
  if (slack >= 1e3) return std::numeric_limits<double>::infinity();
  double failing = slack / 10;
  for (int i = 0; i < 4 && slack > 1e-9; ++i) {
    const double middle = std::sqrt(failing * slack);
    (certified(estimate * (1 + middle)) ? slack : failing) = middle;
  }
  return estimate * (1 + slack) * sum;
}

Eigen::MatrixXd random_unit_rows(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd x = Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
  return x.rowwise().normalized();
}

bool is_diagonal(const Eigen::MatrixXd& m) {
  return (m - Eigen::MatrixXd(m.diagonal().asDiagonal())).cwiseAbs().maxCoeff() == 0;
}

}  // namespace

Interval sup_over_unit_rows(const Eigen::MatrixXd& m, std::size_t dimension) {
  const Eigen::Index n = m.rows();
  if (is_diagonal(m)) return {m.trace(), m.trace()};
  constexpr int sweeps = 200;
  Eigen::MatrixXd alternating(n, 1), constant = Eigen::MatrixXd::Ones(n, 1);
  for (Eigen::Index i = 0; i < n; ++i) alternating(i, 0) = i % 2 == 0 ? -1 : 1;

  Ascent best = ascend(m, alternating, sweeps);
  double bound = dual_bound(m, best.multipliers);
  const auto closed = [&] { return bound <= best.value * (1 + 1e-9); };
  const auto attempt = [&](Eigen::MatrixXd start) {
    Ascent found = ascend(m, std::move(start), sweeps);
    if (found.value > best.value) best = std::move(found);
  };
  if (!closed()) {
    attempt(constant);
    const auto rank = static_cast<Eigen::Index>(std::min<std::size_t>(dimension, 6));
    for (unsigned seed = 1; seed <= 3; ++seed) attempt(random_unit_rows(n, rank, seed));
  }
  if (!closed()) {
    // Rows of higher rank reach the semidefinite relaxation's optimum, whose multipliers give the best D.
    // Their value counts as attained only where the data have that many dimensions.
    const Eigen::Index rank = std::min<Eigen::Index>(n, 12);
    Ascent relaxed = ascend(m, random_unit_rows(n, rank, 4), 400);
    bound = std::min({bound, dual_bound(m, relaxed.multipliers), dual_bound(m, best.multipliers)});
    if (static_cast<std::size_t>(rank) <= dimension && relaxed.value > best.value) best = std::move(relaxed);
  }
  return {best.value, std::max(best.value, bound)};
}

Filter alternated(const Filter& c) {
  // diag(s) T diag(s) has the coefficients (-1)^k c_k, for the series as for its inverse.
  Toeplitz core = c.core();
  const auto flip = [](std::vector<double>& coefficients) {
    for (std::size_t k = 1; k < coefficients.size(); k += 2) coefficients[k] = -coefficients[k];
  };
  const double sign = core.taps.size() % 2 == 0 ? 1 : -1;
  flip(core.taps);
  flip(core.inverse_taps);
  for (Mode& mode : core.modes) mode = {.weight = sign * mode.weight, .pole = -mode.pole};
  for (LagTap& tap : core.lag_taps) tap.weight *= tap.lag % 2 == 0 ? 1 : -1;
  return Filter::toeplitz(c.steps(), std::move(core), c.row(), c.column());
}

double squared_symbol_bound(const std::vector<double>& inverse_coefficients) {
  constexpr std::size_t longest = 1 << 15, oversampling = 32;
  const std::size_t length = std::min(inverse_coefficients.size(), longest);
  double tail = 0;
  for (std::size_t k = length; k < inverse_coefficients.size(); ++k)
    tail += std::abs(inverse_coefficients[k]);
  std::size_t points = 64;
  while (points < oversampling * length) points *= 2;

  std::vector<std::complex<double>> polynomial(points, 0.0), values;
  for (std::size_t k = 0; k < length; ++k) polynomial[k] = inverse_coefficients[k];
  Eigen::FFT<double> fft;
  fft.fwd(values, polynomial);
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, std::norm(value));
  const double degree = static_cast<double>(length - 1);
  const double between = largest / std::cos(std::numbers::pi * degree / static_cast<double>(points));
  const double sup = std::sqrt(between) + tail;
  return sup * sup;
}

}  // namespace jme::theory
