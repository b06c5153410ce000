#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "filter/convolution.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

std::vector<double> series_coefficients(const Toeplitz& series, std::size_t n) {
  const std::size_t head = std::min(n, series.taps.size());
  std::vector<double> c(series.taps.begin(), series.taps.begin() + static_cast<std::ptrdiff_t>(head));
  c.resize(n, 0.0);
  // Powers by repeated multiplication lose one ulp per step; computing them again from time to time bounds
  // the loss.
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

// The first n values of S^-1 y in feedback form, y zero beyond its end: every value of x from those before
// it. What a stretch of values needs of x before the stretch is summed for all of them side by side, the
// oldest first; each value then adds the newest ones. Ends early where only zeros can follow.
std::vector<double> feed_back_response(const Toeplitz& series, std::span<const double> y, std::size_t n) {
  constexpr std::size_t stretch = 16;
  using Stretch = Eigen::Array<double, static_cast<int>(stretch), 1>;
  const std::size_t taps = series.taps.size();
  std::vector<double> padded = series.taps;
  padded.resize(taps + stretch, 0.0);
  std::vector<double> x;
  x.reserve(y.size());
  std::vector<double> sums(series.modes.size(), 0.0);
  const auto is_zero = [](double value) { return value == 0; };
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    const auto remembered = static_cast<std::ptrdiff_t>(std::min(begin, taps));
    if (begin >= y.size() && std::all_of(x.end() - remembered, x.end(), is_zero) &&
        std::ranges::all_of(sums, is_zero)) {
      break;
    }
    x.resize(std::min(begin + stretch, n));
    Stretch before = Stretch::Zero();
    for (std::size_t s = begin - std::min(begin, taps - 1); s < begin; ++s) {
      before += x[s] * Eigen::Map<const Stretch>(&padded[begin - s]);
    }
    for (std::size_t t = begin; t < x.size(); ++t) {
      double known = before[static_cast<Eigen::Index>(t - begin)];
      for (std::size_t s = std::max(begin, t - std::min(t, taps - 1)); s < t; ++s) {
        known += series.taps[t - s] * x[s];
      }
      for (std::size_t i = 0; i < sums.size(); ++i) known += series.modes[i].weight * sums[i];
      x[t] = flushed(((t < y.size() ? y[t] : 0.0) - known) / series.taps[0]);
      if (t + 1 < taps) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = flushed(series.modes[i].pole * sums[i] + x[t + 1 - taps]);
      }
    }
  }
  return x;
}

bool has_inverse_taps(const Toeplitz& series, std::size_t n) {
  return series.inverse_taps.size() >= n && !series.inverse_taps.empty();
}

std::vector<double> feed_back_series(const Toeplitz& series, std::span<const double> y) {
  if (has_inverse_taps(series, y.size())) return convolve(series.inverse_taps, y);
  return feed_back_response(series, y, y.size());
}

std::vector<double> first_of(const std::vector<double>& values, std::size_t n) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(n, values.size()))};
}

// Both without zeros at the end, as far as these are known to be zeros.
std::vector<double> series_response(const Toeplitz& series, std::size_t n) {
  return series.modes.empty() ? first_of(series.taps, n) : series_coefficients(series, n);
}

std::vector<double> inverse_series_response(const Toeplitz& series, std::size_t n) {
  if (has_inverse_taps(series, n)) return first_of(series.inverse_taps, n);
  const double impulse = 1;
  return feed_back_response(series, {&impulse, std::min<std::size_t>(n, 1)}, n);
}

// u_t = x_t + sum_i weight_i x_{t - lag_i}, from the end, so that every x still has its old value.
void multiply_lags(const std::vector<LagTap>& lag_taps, std::vector<double>& x) {
  if (lag_taps.empty()) return;
  for (std::size_t t = x.size(); t-- > 0;) {
    for (const LagTap& tap : lag_taps) {
      if (tap.lag <= t) x[t] += tap.weight * x[t - tap.lag];
    }
  }
}

// The inverse: x_t = u_t - sum_i weight_i x_{t - lag_i}, from the front.
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

std::vector<double> core_response(const Toeplitz& core, std::size_t n) {
  std::vector<double> c = core.inverted ? inverse_series_response(core, n) : series_response(core, n);
  if (!core.lag_taps.empty()) c.resize(n, 0.0);
  divide_lags(core.lag_taps, c);
  return c;
}

std::vector<double> inverse_core_response(const Toeplitz& core, std::size_t n) {
  std::vector<double> c = core.inverted ? series_response(core, n) : inverse_series_response(core, n);
  if (!core.lag_taps.empty()) c.resize(n, 0.0);
  multiply_lags(core.lag_taps, c);
  return c;
}

std::vector<double> Toeplitz::coefficients(std::size_t n) const {
  std::vector<double> c = core_response(*this, n);
  c.resize(n, 0.0);
  return c;
}

std::vector<double> Toeplitz::inverse_coefficients(std::size_t n) const {
  std::vector<double> c = inverse_core_response(*this, n);
  c.resize(n, 0.0);
  return c;
}

}  // namespace jme
