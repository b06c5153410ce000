#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "filter/convolution.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

double flushed(double value) {
  return std::abs(value) < negligible ? 0.0 : value;
}

std::vector<double> series_coefficients(const Toeplitz& series, std::size_t n) {
  const std::size_t head = std::min(n, series.taps.size());
  std::vector<double> c(series.taps.begin(), series.taps.begin() + static_cast<std::ptrdiff_t>(head));
  c.resize(n, 0.0);
  // Powers by repeated multiplication lose an ulp a step; starting afresh now and then bounds the loss.
  constexpr std::size_t stretch = 256;
  for (const Mode& mode : series.modes) {
    for (std::size_t begin = head; begin < n; begin += stretch) {
      double power = mode.weight * std::pow(mode.pole, static_cast<double>(begin - head));
      if (flushed(power) == 0) break;
      const std::size_t end = std::min(n, begin + stretch);
      for (std::size_t k = begin; k < end; ++k) {
        c[k] += power;
        power *= mode.pole;
      }
    }
  }
  return c;
}

// S x: taps, and a recursion for every mode.
std::vector<double> convolve_series(const Toeplitz& series, std::span<const double> x) {
  const std::size_t n = x.size();
  const std::size_t taps = series.taps.size();
  std::vector<double> y;
  if (is_window(series)) {
    y = window_sums(x, taps);
    for (double& value : y) value *= series.taps[0];
  } else {
    y = convolve(series.taps, x);
  }
  for (const Mode& mode : series.modes) {
    double sum = 0;
    for (std::size_t t = taps; t < n; ++t) {
      sum = flushed(mode.pole * sum + x[t - taps]);
      y[t] += mode.weight * sum;
    }
  }
  return y;
}

// S^-1 y in feedback form: every value of x from those before it. What a stretch of values needs of x before
// the stretch is summed for all of them side by side, the oldest first; each value then adds the newest ones.
std::vector<double> feed_back_series(const Toeplitz& series, std::span<const double> y) {
  const std::size_t n = y.size();
  if (series.inverse_taps.size() >= n && !series.inverse_taps.empty())
    return convolve(series.inverse_taps, y);
  constexpr std::size_t stretch = 16;
  using Stretch = Eigen::Array<double, static_cast<int>(stretch), 1>;
  const std::size_t taps = series.taps.size();
  std::vector<double> padded = series.taps;
  padded.resize(taps + stretch, 0.0);
  std::vector<double> x(n);
  std::vector<double> sums(series.modes.size(), 0.0);
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    Stretch before = Stretch::Zero();
    for (std::size_t s = begin - std::min(begin, taps - 1); s < begin; ++s) {
      before += x[s] * Eigen::Map<const Stretch>(&padded[begin - s]);
    }
    for (std::size_t t = begin; t < std::min(begin + stretch, n); ++t) {
      double known = before[static_cast<Eigen::Index>(t - begin)];
      for (std::size_t s = std::max(begin, t - std::min(t, taps - 1)); s < t; ++s) {
        known += series.taps[t - s] * x[s];
      }
      for (std::size_t i = 0; i < sums.size(); ++i) known += series.modes[i].weight * sums[i];
      x[t] = flushed((y[t] - known) / series.taps[0]);
      if (t + 1 < taps) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = flushed(series.modes[i].pole * sums[i] + x[t + 1 - taps]);
      }
    }
  }
  return x;
}

std::vector<double> inverse_series_coefficients(const Toeplitz& series, std::size_t n) {
  if (series.inverse_taps.size() >= n && !series.inverse_taps.empty()) {
    return {series.inverse_taps.begin(), series.inverse_taps.begin() + static_cast<std::ptrdiff_t>(n)};
  }
  std::vector<double> impulse(n, 0.0);
  if (n > 0) impulse[0] = 1;
  return feed_back_series(series, impulse);
}

// u_t = x_t + sum_i weight_i x_{t - lag_i}, from the end, so that every x is still what it was.
void multiply_lags(const std::vector<LagTap>& lag_taps, std::vector<double>& x) {
  if (lag_taps.empty()) return;
  for (std::size_t t = x.size(); t-- > 0;) {
    for (const LagTap& tap : lag_taps) {
      if (tap.lag <= t) x[t] += tap.weight * x[t - tap.lag];
    }
  }
}

// Its inverse: x_t = u_t - sum_i weight_i x_{t - lag_i}, from the front.
void divide_lags(const std::vector<LagTap>& lag_taps, std::vector<double>& u) {
  if (lag_taps.empty()) return;
  for (std::size_t t = 0; t < u.size(); ++t) {
    for (const LagTap& tap : lag_taps) {
      if (tap.lag <= t) u[t] -= tap.weight * u[t - tap.lag];
    }
    u[t] = flushed(u[t]);
  }
}

}  // namespace

bool is_window(const Toeplitz& series) {
  return series.modes.empty() && std::all_of(series.taps.begin(), series.taps.end(),
                                             [&](double tap) { return tap == series.taps[0]; });
}

std::vector<double> apply_core(const Toeplitz& core, std::span<const double> x) {
  std::vector<double> y = core.inverted ? feed_back_series(core, x) : convolve_series(core, x);
  divide_lags(core.lag_taps, y);
  return y;
}

std::vector<double> solve_core(const Toeplitz& core, std::span<const double> x) {
  std::vector<double> y = core.inverted ? convolve_series(core, x) : feed_back_series(core, x);
  multiply_lags(core.lag_taps, y);
  return y;
}

std::vector<double> Toeplitz::coefficients(std::size_t n) const {
  std::vector<double> c = inverted ? inverse_series_coefficients(*this, n) : series_coefficients(*this, n);
  divide_lags(lag_taps, c);
  return c;
}

std::vector<double> Toeplitz::inverse_coefficients(std::size_t n) const {
  std::vector<double> c = inverted ? series_coefficients(*this, n) : inverse_series_coefficients(*this, n);
  multiply_lags(lag_taps, c);
  return c;
}

}  // namespace jme
