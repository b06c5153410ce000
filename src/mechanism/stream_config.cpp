#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/privacy/gaussian.hpp>

namespace jme {

double Budget::noise_multiplier() const {
  if (sigma != 0) {
    if (epsilon != 0 || delta != 0) {
      throw InvalidParameter("sigma", "give either sigma or epsilon and delta, not both");
    }
    if (!(sigma > 0) || !std::isfinite(sigma))
      throw InvalidParameter("sigma", sigma, "a finite number above 0");
    return sigma;
  }
  return jme::noise_multiplier({.epsilon = epsilon, .delta = delta});
}

StateLimit state_limit(const StreamConfig& config) {
  return state_limit(config.max_state_vectors,
                     std::max(config.dimension, second_moment_size(config.second, config.dimension)));
}

}  // namespace jme
