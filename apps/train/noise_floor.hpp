#pragma once

#include <cstddef>

#include <jme/mechanism/batch_mechanism.hpp>

namespace jme::train {

/// Standard deviation of the noise on a coordinate of vhat after `steps` steps with fresh noise in every step. Public:
/// it depends on the configuration alone. For pp and pp-debiased: where the gradient is 0, the noise being that of a
/// squared Gaussian. Same as Adam::noise_level().second where that is defined, in closed form: it is asked every step.
[[nodiscard]] double second_moment_noise(const BatchMechanism& mechanism, double beta_second, std::size_t steps);

}  // namespace jme::train
