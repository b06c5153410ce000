#include <cmath>

#include <jme/training/debiased_noise.hpp>
namespace jme {

double debiased_noise(const BatchMechanism& mechanism, double beta_second, std::size_t steps) {
  if (steps == 0) return 0;
  // Weights w_s = (1 - b) b^(t-s) / (1 - b^t): sum w^2 = (1 - b)/(1 + b) * (1 + b^t)/(1 - b^t). Var z^2 = 2
  // std^4.
  const double decayed = static_cast<double>(steps) * std::log(beta_second);
  const double length =
      std::sqrt((1 - beta_second) / (1 + beta_second) * (1 + std::exp(decayed)) / -std::expm1(decayed));
  const double std = mechanism.calibration().std_first / mechanism.config().batch;
  return std::sqrt(2.0) * std * std * length;
}

}  // namespace jme
