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

}  // namespace jme
