#pragma once

#include <cstddef>

#include <jme/mechanism/batch_mechanism.hpp>

namespace jme {

/// Standard deviation of the noise on a coordinate of pp-debiased's vhat after `steps` steps with fresh
/// noise, where the gradient is 0: that of averaged squares of Gaussians, the least it can be anywhere.
/// Public: it depends on the configuration alone.
[[nodiscard]] double debiased_noise(const BatchMechanism& mechanism, double beta_second, std::size_t steps);

}  // namespace jme
