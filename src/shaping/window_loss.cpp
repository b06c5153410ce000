#include "shaping/window_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace jme::shaping {
namespace {

constexpr std::size_t longest_summed = 1024;
/// Stretches at either end in which terms change; in between they no longer do.
constexpr std::size_t settling = 9;

/// Gauss-Legendre on [-1, 1].
struct Node {
  double place, weight;
};
constexpr std::array<Node, 4> nodes{{{-0.8611363115940526, 0.3478548451374538},
                                     {-0.3399810435848563, 0.6521451548625461},
                                     {0.3399810435848563, 0.6521451548625461},
                                     {0.8611363115940526, 0.3478548451374538}}};

/// How far back the middle of a window that ends at t lies.
double middle(double t, double window) {
  return std::min(t, window) / 2;
}

/// Sums of squares of a sequence that is, on stretch s of k steps, an extra number `first` at its start and
/// sum_l amplitude_l (1 - gap_l)^j after `delay` steps.
class StretchSquares {
 public:
  StretchSquares(std::span<const double> gaps, double window, double delay)
      : window_(window), delay_(delay), size_(gaps.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        gaps_.push_back(joint_gap(gaps[i], gaps[j]));
        whole_.push_back(geometric_sum(gaps_.back(), window - delay));
      }
    }
  }

  void add(std::span<const double> amplitudes, double first) {
    std::vector<double> products;
    double sum = first * first;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++pair) {
        products.push_back((i == j ? 1 : 2) * amplitudes[i] * amplitudes[j]);
        sum += products.back() * whole_[pair];
      }
    }
    before_.push_back(before_.back() + sum);
    first_.push_back(first * first);
    products_.insert(products_.end(), products.begin(), products.end());
  }

  /// Over the first `count` terms, not necessarily a whole number.
  [[nodiscard]] double operator()(double count) const {
    const auto stretch = static_cast<std::size_t>(count / window_);
    if (stretch >= first_.size()) return before_.back();
    const double inside = count - static_cast<double>(stretch) * window_ - delay_;
    double sum = before_[stretch] + first_[stretch];
    if (inside <= 0) return sum;
    const double* products = products_.data() + stretch * gaps_.size();
    for (std::size_t pair = 0; pair < gaps_.size(); ++pair) {
      sum += products[pair] * geometric_sum(gaps_[pair], inside);
    }
    return sum;
  }

 private:
  double window_, delay_;
  std::size_t size_;
  std::vector<double> gaps_, whole_;
  std::vector<double> before_{0.0}, first_, products_;
};

}  // namespace

WindowLoss::WindowLoss(std::size_t steps, std::size_t window)
    : steps_(steps), window_(window), lags_(std::min(most_lags, (steps - 1) / window)) {}

double WindowLoss::operator()(std::span<const double> x) const {
  const BltPowers blt(x.first(x.size() - lags_), 1);
  const std::span<const double> taps = x.last(lags_);
  const double sum = steps_ <= longest_summed ? summed(blt, taps) : by_stretches(blt, taps);
  return sum > 0 && std::isfinite(sum) ? std::log(sum) : std::numeric_limits<double>::infinity();
}

double WindowLoss::summed(const BltPowers& blt, std::span<const double> taps) const {
  const std::size_t n = steps_, k = window_;
  std::vector<double> c(n), g(n);
  // Powers by repeated multiplication: c_m for m >= 1, and prefix sums of T^-1.
  std::vector<double> column(blt.column_weights), row(blt.weights);
  c[0] = 1;
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t i = 0; m > 0 && i < column.size(); ++i) {
      c[m] += column[i];
      column[i] *= 1 - blt.pole_gaps[i];
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      g[m] += row[i];
      row[i] *= 1 - blt.gaps[i];
    }
  }
  for (std::size_t m = n; m-- > k;) g[m] -= g[m - k];
  for (std::size_t m = n; m-- > 0;) {
    for (std::size_t i = 0; i < taps.size() && m >= (i + 1) * k; ++i) g[m] += taps[i] * g[m - (i + 1) * k];
  }
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t i = 0; i < taps.size() && m >= (i + 1) * k; ++i) c[m] -= taps[i] * c[m - (i + 1) * k];
  }
  std::vector<double> squares(n + 1, 0.0);
  for (std::size_t m = 0; m < n; ++m) squares[m + 1] = squares[m] + c[m] * c[m];
  double row_norm = 0, sum = 0;
  for (std::size_t t = 0; t < n; ++t) {
    row_norm += g[t] * g[t];
    const double left = static_cast<double>(n - t) + middle(static_cast<double>(t), static_cast<double>(k));
    const auto whole = static_cast<std::size_t>(left);
    const double part = left - static_cast<double>(whole);
    sum += row_norm * ((1 - part) * squares[whole] + part * squares[std::min(whole + 1, n)]);
  }
  return sum / static_cast<double>(n);
}

double WindowLoss::by_stretches(const BltPowers& blt, std::span<const double> taps) const {
  const auto n = static_cast<double>(steps_), k = static_cast<double>(window_);
  const std::size_t stretches = (steps_ - 1) / window_ + 1;
  const std::size_t kept = std::min(stretches, 3 * settling);
  StretchSquares rows(blt.gaps, k, 0), columns(blt.pole_gaps, k, 1);
  const std::size_t p = blt.pole_gaps.size();
  std::vector<double> amplitudes(p + 1, 0.0), powers(p, 0.0), scaled(p), fading(p + 1), pole_fading(p);
  for (std::size_t i = 0; i <= p; ++i) fading[i] = std::exp(k * std::log1p(-blt.gaps[i]));
  for (std::size_t i = 0; i < p; ++i) pole_fading[i] = std::exp(k * std::log1p(-blt.pole_gaps[i]));
  std::vector<double> inverse_taps;  // of 1 / (1 + sum_i a_i y^i)
  for (std::size_t s = 0; s < kept; ++s) {
    // (1 - y) (1 + sum_i a_i y^i)
    const double tap = s == 0 ? 1 : s <= taps.size() ? taps[s - 1] : 0;
    const double tap_before = s == 0 ? 0 : s == 1 ? 1 : s - 1 <= taps.size() ? taps[s - 2] : 0;
    for (std::size_t i = 0; i <= p; ++i) {
      amplitudes[i] = fading[i] * amplitudes[i] + (tap - tap_before) * blt.weights[i];
    }
    if (s > taps.size()) amplitudes[0] = 0;  // the pole at 1 has gone, whatever rounding left of it
    rows.add(amplitudes, 0);

    double inverse = s == 0 ? 1 : 0;
    for (std::size_t i = 0; i < taps.size() && i < s; ++i) inverse -= taps[i] * inverse_taps[s - 1 - i];
    inverse_taps.push_back(inverse);
    double first = inverse;
    for (std::size_t i = 0; i < p; ++i) {
      const double past = pole_fading[i] * powers[i];
      powers[i] = past + inverse;
      first += blt.column_weights[i] / (1 - blt.pole_gaps[i]) * past;
      scaled[i] = blt.column_weights[i] * powers[i];
    }
    columns.add(scaled, first);
  }

  const auto value = [&](double t) { return rows(t + 1) * columns(std::min(n, n - t + middle(t, k))); };
  double sum = 0;
  for (std::size_t s = 0; s < stretches; ++s) {
    const double begin = static_cast<double>(s) * k - 0.5;
    if (stretches > 2 * settling && s == settling) {
      // Nothing changes any more until the columns near their end.
      const std::size_t last = stretches - settling;
      sum += static_cast<double>(last - s) * k * value(begin + k);
      s = last - 1;
      continue;
    }
    const double length = std::min(begin + k, n - 0.5) - begin;
    for (const Node& node : nodes) {
      sum += node.weight * length / 2 * value(begin + length / 2 * (1 + node.place));
    }
  }
  return sum / n;
}

}  // namespace jme::shaping
