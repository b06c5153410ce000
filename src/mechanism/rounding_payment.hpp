#pragma once

#include <jme/mechanism/stream_config.hpp>

#include "noise/noise_distance.hpp"

namespace jme {

/// What the rounding errors inside the noise cost (noise/GUARANTEES.md), paid before anything else.
struct RoundingPayment {
  double sigma;     ///< noise multiplier to use
  double mu;        ///< the whole is mu-GDP, rounding errors included,
  double bad_past;  ///< but for pasts of this probability
  double cost;      ///< relative extra noise, or relative extra mu where sigma was given
};

/// `sigma` is what an ideal sampler would need, `distance` how far the real one may be from it. The distance
/// hardly depends on the size of the noise, so that one step is enough to pay for it: more noise is never
/// farther from the ideal. Throws InvalidParameter("epsilon", ...) where the budget does not suffice.
[[nodiscard]] RoundingPayment pay_for_rounding(const Budget& budget, double sigma,
                                               const NoiseDistance& distance);

}  // namespace jme
