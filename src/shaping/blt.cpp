#include "shaping/blt.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/filter/schedule.hpp>

namespace jme::shaping {
namespace {

/// Norms of the columns of L T: ||column j||^2 = l_j^2 + sum_ik omega_i omega_k V_ik(j) where
/// V_ik(j) = sum_{t > j} l_t^2 (t_i t_k)^(t-j-1), backwards in j. All terms are positive; the relative error
/// of a first-order recursion with positive terms is at most about 3 eps a step, so 4 eps n rounds up.
std::vector<double> column_norms_rounded_up(std::size_t steps, const Schedule& row, const Toeplitz& core) {
  struct Pair {
    double weight, ratio, sum;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < core.modes.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      const Mode &first = core.modes[i], second = core.modes[k];
      pairs.push_back({.weight = (i == k ? 1 : 2) * first.weight * second.weight,
                       .ratio = first.pole * second.pole,
                       .sum = 0});
    }
  }
  const double up =
      1 + 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(steps + pairs.size() + 4);
  std::vector<double> norms(steps);
  for (std::size_t j = steps; j-- > 0;) {
    const double scale = row(j), squared = scale * scale;
    double norm = squared;
    for (Pair& pair : pairs) {
      norm += pair.weight * pair.sum;
      pair.sum = pair.ratio * pair.sum + squared;
    }
    norms[j] = std::sqrt(norm) * up;
  }
  return norms;
}

}  // namespace

void check_interlacing(const BltParameters& parameters) {
  const auto& [poles, zeros] = parameters;
  bool valid = !poles.empty() && poles.size() == zeros.size();
  double above = 1;
  for (std::size_t i = 0; valid && i < poles.size(); ++i) {
    valid = above > poles[i] && poles[i] > zeros[i] && zeros[i] > 0;
    above = zeros[i];
  }
  if (!valid) {
    throw InvalidParameter(
        "shape", "a BLT needs as many poles as zeros, interlacing: 1 > pole > zero > pole > ... > 0");
  }
}

Toeplitz blt_core(const BltParameters& parameters) {
  check_interlacing(parameters);
  const auto& [poles, zeros] = parameters;
  Toeplitz core;  // one tap: c_0 = 1
  for (std::size_t i = 0; i < poles.size(); ++i) {
    double weight = poles[i] - zeros[i];
    for (std::size_t j = 0; j < poles.size(); ++j) {
      if (j != i) weight *= (poles[i] - zeros[j]) / (poles[i] - poles[j]);
    }
    core.modes.push_back({.weight = weight, .pole = poles[i]});
  }
  return core;
}

Filter scaled_blt_filter(std::size_t steps, const ScaledBltParameters& parameters) {
  const ScaledBltParameters& p = parameters;
  if (!(p.start_offset > -1) || !(p.end_offset > 0) || !std::isfinite(p.start_offset) ||
      !std::isfinite(p.end_offset) || !std::isfinite(p.start_power) || !std::isfinite(p.end_power)) {
    throw InvalidParameter(
        "shape", "a scaled BLT's schedule needs start offset > -1, end offset > 0 and finite powers");
  }
  Toeplitz core = blt_core(p.blt);
  const Schedule row = p.start_power == 0 && p.end_power == 0
                           ? Schedule()
                           : Schedule::power(p.start_offset, p.start_power, steps, p.end_offset, p.end_power);
  std::vector<double> inverse_norms = column_norms_rounded_up(steps, row, core);
  for (double& norm : inverse_norms) norm = 1 / norm;
  return Filter::toeplitz(steps, std::move(core), row, Schedule::values(std::move(inverse_norms)));
}

}  // namespace jme::shaping
