#include "noise_floor.hpp"

#include <cmath>

namespace jme::train {

double second_moment_noise(const BatchMechanism& mechanism, double beta_second, std::size_t steps) {
  if (steps == 0) return 0;
  const BatchConfig& config = mechanism.config();
  // Weights w_s = (1 - b) b^(t-s) / (1 - b^t): sum w^2 = (1 - b)/(1 + b) * (1 + b^t)/(1 - b^t).
  const double decayed = static_cast<double>(steps) * std::log(beta_second);
  const double length =
      std::sqrt((1 - beta_second) / (1 + beta_second) * (1 + std::exp(decayed)) / -std::expm1(decayed));
  if (!mechanism.has_second()) {
    const double mean_noise = mechanism.calibration().std_first / config.batch;
    return std::sqrt(2.0) * mean_noise * mean_noise * length;
  }
  double scale = 1;
  if (takes_squares(config.method)) scale = 1 / config.batch;
  if (config.method == BatchMethod::jme_paper) scale = 1 / (config.batch * config.batch);
  return mechanism.calibration().std_second * scale * length;
}

}  // namespace jme::train
