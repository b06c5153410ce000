#include "shaping/blt_loss.hpp"

#include <algorithm>
#include <cmath>

namespace jme::shaping {

double geometric_sum(double gap, double count) {
  if (gap == 0) return count;
  return gap == 1 ? 1 : -std::expm1(count * std::log1p(-gap)) / gap;
}

namespace {

/// sum_{m < count} (1 - m / count) r^m = (1 - r G / count) / (1 - r), G the geometric sum; for small
/// gap * count the quotient cancels and the first two terms of the expansion in gap are more accurate.
double fading_sum(double gap, double count) {
  if (gap * count < 1e-5) return (count + 1) / 2 - gap * (count * count - 1) / 6;
  return (1 - (1 - gap) * geometric_sum(gap, count) / count) / gap;
}

/// sum_ik w_i w_k sum(gap of pole_i pole_k).
template <typename Sum>
double quadratic_sum(std::span<const double> gaps, std::span<const double> weights, const Sum& sum) {
  double total = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      total += (i == k ? 1 : 2) * weights[i] * weights[k] * sum(joint_gap(gaps[i], gaps[k]));
    }
  }
  return total;
}

}  // namespace

BltLoss::BltLoss(const Problem& problem) : problem_(problem) {
  if (!problem_.mean) return;
  // Lag m enters releases t = m+1..n with weight 1/t^2. Beyond 128 the sum over m becomes an integral by
  // two-point Gauss rules on intervals of 1/16 of their start: relative error below 1e-6.
  const auto n = static_cast<double>(problem_.steps);
  const double exact = std::min(n, 128.0);
  // sum_{t > m} 1/t^2, the far end of it by the midpoint rule
  double tail = n > exact ? 1 / (exact + 0.5) - 1 / (n + 0.5) : 0;
  for (auto i = static_cast<std::size_t>(exact); i-- > 0;) {
    const auto m = static_cast<double>(i);
    tail += 1 / ((m + 1) * (m + 1));
    mean_nodes_.push_back({.lag = m, .weight = tail});
  }
  for (double start = exact; start < n;) {
    const double width = std::min(std::floor(start / 16), n - start);
    const double middle = start - 0.5 + width / 2;
    for (const double side : {-1.0, 1.0}) {
      const double lag = middle + side * width / (2 * std::sqrt(3.0));
      mean_nodes_.push_back({.lag = lag, .weight = width / 2 * (1 / (lag + 0.5) - 1 / (n + 0.5))});
    }
    start += width;
  }
}

BltPowers::BltPowers(std::span<const double> x, double decay)
    : pole_gaps(x.size() / 2),
      column_weights(x.size() / 2),
      gaps(x.size() / 2 + 1),
      weights(x.size() / 2 + 1) {
  const std::size_t p = x.size() / 2;
  gaps[0] = 1 - decay;  // the workload's own pole, then the zeros of T
  double y = 0;
  for (std::size_t i = 2 * p; i-- > 0;) {
    y += std::exp(x[i]);
    const double gap = gaps[0] + decay * std::exp(-y);
    (i % 2 == 0 ? pole_gaps[i / 2] : gaps[i / 2 + 1]) = gap;
  }
  for (std::size_t i = 0; i < p; ++i) {
    double weight = gaps[i + 1] - pole_gaps[i];
    for (std::size_t j = 0; j < p; ++j) {
      if (j != i) weight *= (gaps[j + 1] - pole_gaps[i]) / (pole_gaps[j] - pole_gaps[i]);
    }
    column_weights[i] = weight;
  }
  for (std::size_t i = 0; i <= p; ++i) {
    double weight = 1;
    std::size_t pole = 0;
    for (std::size_t j = 0; j <= p; ++j) {
      if (j != i) weight *= (pole_gaps[pole++] - gaps[i]) / (gaps[j] - gaps[i]);
    }
    weights[i] = weight;
  }
}

double BltLoss::operator()(std::span<const double> x) const {
  const BltPowers blt(x, problem_.decay);
  const double lags = static_cast<double>(problem_.steps) - 1;
  const double column = 1 + quadratic_sum(blt.pole_gaps, blt.column_weights,
                                          [&](double gap) { return geometric_sum(gap, lags); });
  return std::log(column) +
         std::log(problem_.mean ? mean_error(blt.gaps, blt.weights) : error(blt.gaps, blt.weights));
}

double BltLoss::error(std::span<const double> gaps, std::span<const double> weights) const {
  const auto n = static_cast<double>(problem_.steps);
  const bool rmse = problem_.objective == Objective::rmse;
  if (problem_.window == 0) {
    return quadratic_sum(gaps, weights,
                         [&](double gap) { return rmse ? fading_sum(gap, n) : geometric_sum(gap, n); });
  }
  // Within the window as for prefix sums; after it, lag m has what is left after subtracting lag m - k, and
  // the pole at 1 cancels.
  const auto k = static_cast<double>(problem_.window);
  const double inside = quadratic_sum(gaps, weights, [&](double gap) {
    return rmse ? k / n * fading_sum(gap, k) + (1 - k / n) * geometric_sum(gap, k) : geometric_sum(gap, k);
  });
  if (problem_.window >= problem_.steps) return inside;
  std::vector<double> left(weights.begin() + 1, weights.end());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] *= std::expm1(k * std::log1p(-gaps[i + 1]));
  const double outside = quadratic_sum(gaps.subspan(1), left, [&](double gap) {
    return rmse ? (n - k) / n * fading_sum(gap, n - k) : geometric_sum(gap, n - k);
  });
  return inside + outside;
}

double BltLoss::mean_error(std::span<const double> gaps, std::span<const double> weights) const {
  std::vector<double> rates(gaps.size());
  std::transform(gaps.begin(), gaps.end(), rates.begin(), [](double gap) { return std::log1p(-gap); });
  double total = 0;
  for (const Node& node : mean_nodes_) {
    double response = weights[0];
    for (std::size_t i = 1; i < rates.size(); ++i) response += weights[i] * std::exp(rates[i] * node.lag);
    total += node.weight * response * response;
  }
  return total;
}

}  // namespace jme::shaping
