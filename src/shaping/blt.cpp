#include "shaping/blt.hpp"

#include <cmath>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/filter/schedule.hpp>

namespace jme::shaping {
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

Filter scaled_blt_filter(const Horizon& horizon, const ScaledBltParameters& parameters) {
  const ScaledBltParameters& p = parameters;
  if (!(p.start_offset > -1) || !(p.end_offset > 0) || !std::isfinite(p.start_offset) ||
      !std::isfinite(p.end_offset) || !std::isfinite(p.start_power) || !std::isfinite(p.end_power)) {
    throw InvalidParameter(
        "shape", "a scaled BLT's schedule needs start offset > -1, end offset > 0 and finite powers");
  }
  if (horizon.is_unbounded() && (p.end_power != 0 || p.start_power > 0)) {
    throw InvalidParameter(
        "shape", "a scaled BLT for an unbounded horizon needs end power 0 and start power at most 0");
  }
  const std::size_t steps = horizon.steps();
  Toeplitz core = blt_core(p.blt);
  const Schedule row = p.start_power == 0 && p.end_power == 0
                           ? Schedule()
                           : Schedule::power(p.start_offset, p.start_power, steps, p.end_offset, p.end_power);
  return horizon.is_unbounded() ? Filter::endless_column_normalised(steps, std::move(core), row)
                                : Filter::column_normalised(steps, std::move(core), row);
}

}  // namespace jme::shaping
