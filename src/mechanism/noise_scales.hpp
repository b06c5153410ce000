#pragma once

#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/mechanism/mechanism.hpp>

#include "noise/noise_scale.hpp"

namespace jme {

/// Standard deviation of the noise on every coordinate of a step, in lattice units: off-diagonal entries of
/// the full second moment carry half the variance of its diagonal
/// (docs/theory/calibration.md#symmetric-noise).
[[nodiscard]] NoiseScale noise_scale_first(const Mechanism& mechanism, const Calibration& calibration);
[[nodiscard]] NoiseScale noise_scale_second(const Mechanism& mechanism, const Calibration& calibration);
[[nodiscard]] NoiseScale noise_scale_first(const BatchMechanism& mechanism);
[[nodiscard]] NoiseScale noise_scale_second(const BatchMechanism& mechanism);

}  // namespace jme
