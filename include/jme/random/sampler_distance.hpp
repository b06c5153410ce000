#pragma once

#include <functional>

#include <jme/base/values.hpp>

namespace jme {

/// What a run of shaped, rounded noise asks of the sampler (src/random/GUARANTEES.md, section 3). Lengths are
/// in lattice units. For two channels: the sum of the draws and of their variances, the worse of everything
/// else.
struct SamplerUse {
  double draws;               ///< normals in all
  double width;               ///< coordinates of a step (of the narrower channel)
  double fresh_variance;      ///< sum over the draws of the squared fresh standard deviations
  double largest_fresh_std;   ///< largest standard deviation of a step's own part: scale_j |(C^-1)_tt|
  double smallest_fresh_std;  ///< smallest of the same
  double roundings;  ///< standard deviations of all rounded values that see a fresh draw, over its own; a sum
  double drift;      ///< error of the computed past of any value, over the fresh standard deviation
  double states;     ///< running sums a coordinate keeps
  double memory;     ///< sums of squares of the noise vary as if in runs of so many steps
  double column_ratio;  ///< largest ||column of C|| / |C_tt|
  double row_sum;       ///< largest sum_s |C_ts / C_tt| or sum_s |C^-1_ts / C^-1_tt|
};

/// For every event E and both orders of the two laws (ours, the ideal Gaussian's) of the whole rounded noise:
///     P(E) <= exp(epsilon / 2) Q(E) + delta.
struct SamplerDistance {
  double epsilon;
  double delta;
};

/// Proved in GUARANTEES, section 3. `tail` > 0 is the probability granted to the concentration of the
/// likelihood ratio; delta exceeds it by what the tails of the draws need (2^-71 a draw). Infinite where the
/// argument does not hold: fresh noise of fewer than 64 lattice units, or row_sum above a tenth of it.
[[nodiscard]] SamplerDistance sampler_distance(const SamplerUse& use, double tail);

/// The budget that the ideal Gaussian mechanism must satisfy so that the one with our sampler satisfies
/// `target`: epsilon - distance.epsilon and the matching delta. Throws InvalidParameter where nothing is
/// left.
[[nodiscard]] ApproxDp ideal_budget(const ApproxDp& target, const SamplerUse& use);

/// The other way: the epsilon at `delta` of a mechanism with our sampler whose ideal form has the epsilon
/// `ideal(delta)`, a function that does not increase. Infinite where nothing can be proved at this delta.
[[nodiscard]] double epsilon_with_sampler(const SamplerUse& use, double delta,
                                          const std::function<double(double)>& ideal);

}  // namespace jme
