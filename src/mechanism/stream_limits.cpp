#include "mechanism/stream_limits.hpp"

#include <jme/base/errors.hpp>

#include "mechanism/noise_scales.hpp"
#include "noise/noise_limits.hpp"

namespace jme {

void check_stream_limits(const Mechanism& mechanism) {
  const bool noises_rows = squares_noisy_rows(mechanism.config().method);
  const Filter& c1 = mechanism.c1();
  if (noises_rows && mechanism.has_second() && !c1.is_toeplitz() && c1.steps() > most_rows_of_shaped_pp) {
    throw InvalidParameter("shape", "pp with this shape is limited to 4096 rows");
  }
  check_noise_limits(c1, noise_scale_first(mechanism, mechanism.calibration()));
  if (noises_rows || !mechanism.has_second()) return;
  check_noise_limits(mechanism.c2(), noise_scale_second(mechanism, mechanism.calibration()));
}

}  // namespace jme
