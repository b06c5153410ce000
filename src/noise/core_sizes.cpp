#include "noise/core_sizes.hpp"

#include <cmath>
#include <numeric>

#include "filter/inverse_modes.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

double sum_of_moduli(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, double value) { return sum + std::abs(value); });
}

double length(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

CoreSizes::ModeSize summed_mode_size(double pole, const std::vector<double>& taken) {
  double state = 0, squares = 0, moduli = 0;
  for (const double value : taken) {
    state = pole * state + value;
    if (std::abs(state) < 1e-300) state = 0;  // subnormal numbers would only be slow
    squares += state * state;
    moduli += std::abs(state);
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

}  // namespace

CoreSizes summed_core_sizes(const Toeplitz& core, std::size_t steps) {
  // Running sums go on after what they take in has ended.
  const std::vector<double> inverse =
      core.modes.empty() ? inverse_core_response(core, steps) : core.inverse_coefficients(steps);
  CoreSizes sizes{.core_sum = sum_of_moduli(core_response(core, steps)),
                  .inverse_sum = sum_of_moduli(inverse),
                  .inverse_length = length(inverse),
                  .modes = {}};
  // Of a series (an inverted core) the running sums take in the draws themselves.
  std::vector<double> impulse(core.inverted && !core.modes.empty() ? steps : 0, 0.0);
  if (!impulse.empty()) impulse[0] = 1;
  for (const Mode& mode : core.modes) {
    sizes.modes.push_back(summed_mode_size(mode.pole, core.inverted ? impulse : inverse));
  }
  return sizes;
}

// b_k = sum_j r_j theta_j^(k-1) (inverse_modes.hpp), and s_i has coefficients sum_j r_j / (theta_j - p_i)
// theta_j^k, because (1 - p_i x) c(x) has no pole at p_i.
std::optional<CoreSizes> closed_core_sizes(const Toeplitz& core, std::size_t steps) {
  const std::optional<InverseModes> inverse = inverse_modes(core);
  if (!inverse) return std::nullopt;
  const auto n = static_cast<double>(steps);
  const std::vector<double>&gaps = inverse->gaps, &residues = inverse->weights;
  const std::size_t p = gaps.size();
  CoreSizes sizes{.core_sum = core.taps[0], .inverse_sum = inverse->tap, .inverse_length = 0, .modes = {}};
  for (const Mode& mode : core.modes) sizes.core_sum += mode.weight * geometric_sum(1 - mode.pole, n - 1);
  for (std::size_t j = 0; j < p; ++j) sizes.inverse_sum -= residues[j] * geometric_sum(gaps[j], n - 1);
  const auto squares = [&](const std::vector<double>& amplitudes, double count) {
    double sum = 0;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) {
        sum += amplitudes[j] * amplitudes[k] * geometric_sum(joint_gap(gaps[j], gaps[k]), count);
      }
    }
    return sum;
  };
  sizes.inverse_length = std::sqrt(inverse->tap * inverse->tap + squares(residues, n - 1));
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
