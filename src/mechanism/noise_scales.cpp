#include "mechanism/noise_scales.hpp"

#include <cmath>

namespace jme {

NoiseScale noise_scale_first(const Mechanism& mechanism, const Calibration& calibration) {
  return NoiseScale::uniform(mechanism.config().dimension, calibration.std_first / mechanism.lattice().first);
}

NoiseScale noise_scale_second(const Mechanism& mechanism, const Calibration& calibration) {
  const StreamConfig& config = mechanism.config();
  const double std = calibration.std_second / mechanism.lattice().second;
  if (config.second == SecondMoment::diagonal) return NoiseScale::uniform(config.dimension, std);
  return NoiseScale::triangle(config.dimension, std, std / std::sqrt(2.0));
}

NoiseScale noise_scale_first(const BatchMechanism& mechanism) {
  return NoiseScale::uniform(mechanism.config().dimension,
                             mechanism.calibration().std_first / mechanism.lattice().first);
}

NoiseScale noise_scale_second(const BatchMechanism& mechanism) {
  return NoiseScale::uniform(mechanism.config().dimension,
                             mechanism.calibration().std_second / mechanism.lattice().second);
}

}  // namespace jme
