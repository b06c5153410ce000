#pragma once

#include <algorithm>

#include <jme/random/sampler_distance.hpp>

namespace jme {

/// Two independent channels (SamplerUse): draws and their variances add, the rest is the worse of the two.
inline SamplerUse joined(const SamplerUse& a, const SamplerUse& b) {
  return {.draws = a.draws + b.draws,
          .width = std::min(a.width, b.width),
          .fresh_variance = a.fresh_variance + b.fresh_variance,
          .largest_fresh_std = std::max(a.largest_fresh_std, b.largest_fresh_std),
          .smallest_fresh_std = std::min(a.smallest_fresh_std, b.smallest_fresh_std),
          .roundings = std::max(a.roundings, b.roundings),
          .drift = std::max(a.drift, b.drift),
          .states = std::max(a.states, b.states),
          .memory = std::max(a.memory, b.memory),
          .column_ratio = std::max(a.column_ratio, b.column_ratio),
          .row_sum = std::max(a.row_sum, b.row_sum)};
}

}  // namespace jme
