#include "noise/core_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jme {
namespace {

double sum_of_moduli(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, double value) { return sum + std::abs(value); });
}

double length(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

CoreSizes::ModeSize summed_mode_size(double pole, const std::vector<double>& taken,
                                     const std::vector<double>& fed_back) {
  double state = 0, squares = 0, error = 0, moduli = 0;
  for (std::size_t k = 0; k < taken.size(); ++k) {
    state = pole * state + taken[k];
    error = pole * error + fed_back[k];
    if (std::abs(state) < 1e-300) state = 0;  // subnormal numbers would only be slow
    if (std::abs(error) < 1e-300) error = 0;
    squares += state * state;
    moduli += std::abs(error);
  }
  return {.length = std::sqrt(squares), .reach = moduli};
}

/// sum over k < steps of (1 - gap)^k
double geometric_sum(double gap, double steps) {
  return -std::expm1(steps * std::log1p(-gap)) / gap;
}

/// 1 - (1-a)(1-b) without cancellation.
double joint_gap(double a, double b) {
  return a + b - a * b;
}

/// F(1 - y) = c_0 + sum_i w_i / (g_i - y), g_i = 1 - p_i: rises between two of its poles.
double inverse_symbol(double tap, const std::vector<Mode>& modes, double y) {
  double value = tap;
  for (const Mode& mode : modes) value += mode.weight / ((1 - mode.pole) - y);
  return value;
}

}  // namespace

CoreSizes summed_core_sizes(const Toeplitz& core, std::size_t steps) {
  const std::vector<double> inverse = core.inverse_coefficients(steps);
  Toeplitz unlagged = core;
  unlagged.lag_taps.clear();
  const std::vector<double> fed_back = core.lag_taps.empty() ? inverse : unlagged.inverse_coefficients(steps);
  CoreSizes sizes{.first = std::abs(inverse[0]),
                  .core_sum = sum_of_moduli(core.coefficients(steps)),
                  .inverse_sum = sum_of_moduli(inverse),
                  .inverse_length = length(inverse),
                  .fed_back_sum = sum_of_moduli(fed_back),
                  .modes = {}};
  // Of a series (an inverted core) the running sums take in the draws themselves, and nothing is fed back.
  std::vector<double> impulse(core.inverted ? steps : 0, 0.0);
  if (core.inverted) impulse[0] = 1;
  for (const Mode& mode : core.modes) {
    sizes.modes.push_back(core.inverted ? summed_mode_size(mode.pole, impulse, impulse)
                                        : summed_mode_size(mode.pole, inverse, fed_back));
  }
  return sizes;
}

// With theta = 1/x the core is F(theta) = c_0 + sum_i w_i / (theta - p_i). For w_i > 0 it falls between its
// poles, so that 1/F has one pole theta_j below each p_i, the last one above 0 where c_0 > sum_i w_i / p_i,
// and
//     1/F = 1/c_0 + sum_j r_j / (theta - theta_j),   r_j = 1/F'(theta_j) < 0:
// b_k = sum_j r_j theta_j^(k-1) < 0 for k >= 1, and s_i has coefficients sum_j r_j / (theta_j - p_i)
// theta_j^k, because (1 - p_i x) c(x) has no pole at p_i.
std::optional<CoreSizes> closed_core_sizes(const Toeplitz& core, std::size_t steps) {
  if (core.inverted || core.taps.size() != 1 || !core.lag_taps.empty() || core.modes.empty()) return {};
  const double tap = core.taps[0];
  std::vector<Mode> modes = core.modes;
  std::ranges::sort(modes, std::ranges::greater{}, &Mode::pole);
  double at_zero = tap;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const bool usable = modes[i].weight > 0 && modes[i].pole > 0 && modes[i].pole < 1 &&
                        (i == 0 || modes[i].pole < modes[i - 1].pole);
    if (!usable) return {};
    at_zero -= modes[i].weight / modes[i].pole;
  }
  if (!(tap > 0) || !(at_zero > 0)) return {};

  const auto n = static_cast<double>(steps);
  const std::size_t p = modes.size();
  std::vector<double> gaps(p), residues(p);  // 1 - theta_j, r_j
  for (std::size_t j = 0; j < p; ++j) {
    // F is -infinity just past p_j's gap and positive before the next one's (or at theta = 0).
    double low = 1 - modes[j].pole, high = j + 1 < p ? 1 - modes[j + 1].pole : 1;
    for (;;) {
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) break;
      (inverse_symbol(tap, modes, middle) < 0 ? low : high) = middle;
    }
    gaps[j] = low + (high - low) / 2;
    double slope = 0;
    for (const Mode& mode : modes) slope -= mode.weight / std::pow((1 - mode.pole) - gaps[j], 2);
    residues[j] = 1 / slope;
    if (!(residues[j] < 0)) return {};  // a weight too small to part a zero from its pole
  }

  CoreSizes sizes{.first = 1 / tap,
                  .core_sum = tap,
                  .inverse_sum = 1 / tap,
                  .inverse_length = 0,
                  .fed_back_sum = 0,
                  .modes = {}};
  for (const Mode& mode : modes) sizes.core_sum += mode.weight * geometric_sum(1 - mode.pole, n - 1);
  for (std::size_t j = 0; j < p; ++j) sizes.inverse_sum -= residues[j] * geometric_sum(gaps[j], n - 1);
  sizes.fed_back_sum = sizes.inverse_sum;
  const auto squares = [&](const std::vector<double>& amplitudes, double count) {
    double sum = 0;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) {
        sum += amplitudes[j] * amplitudes[k] * geometric_sum(joint_gap(gaps[j], gaps[k]), count);
      }
    }
    return sum;
  };
  sizes.inverse_length = std::sqrt(1 / (tap * tap) + squares(residues, n - 1));
  for (const Mode& mode : core.modes) {
    std::vector<double> amplitudes(p);
    double reach = 0;
    for (std::size_t j = 0; j < p; ++j) {
      amplitudes[j] = residues[j] / ((1 - mode.pole) - gaps[j]);
      reach += std::abs(amplitudes[j]) * geometric_sum(gaps[j], n);
    }
    sizes.modes.push_back({.length = std::sqrt(squares(amplitudes, n)), .reach = reach});
  }
  return sizes;
}

CoreSizes core_sizes(const Toeplitz& core, std::size_t steps) {
  if (const std::optional<CoreSizes> closed = closed_core_sizes(core, steps)) return *closed;
  return summed_core_sizes(core, steps);
}

}  // namespace jme
