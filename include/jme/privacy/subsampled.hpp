#pragma once

#include <cstdint>

#include <jme/base/adjacency.hpp>
#include <jme/base/values.hpp>

namespace jme {

/// Private training with fresh noise: `steps` times, every row enters the batch independently with
/// probability `sampling_rate` (Poisson sampling), and the batch's sum is released with Gaussian noise.
/// `sigma` is the noise's standard deviation divided by the sensitivity under `adjacency`, as everywhere in
/// jme: that is the largest length of one row's contribution under add-remove, and twice that length under
/// replace-one.
struct SubsampledGaussian {
  double sampling_rate = 1;  ///< in (0, 1]
  std::uint64_t steps = 1;   ///< 1 .. 2^40
  double sigma = 1;
  Adjacency adjacency = Adjacency::add_remove;
};

/// Least epsilon of all steps together at this delta by the privacy loss distribution, rounded up: every
/// discretisation, truncation and floating-point error is on the safe side (src/privacy/GUARANTEES.md). 0
/// where delta alone suffices. Where delta is so small that rounding exceeds it, the result is that of
/// rdp_epsilon.
[[nodiscard]] double pld_epsilon(const SubsampledGaussian& mechanism, Delta delta);
/// The reverse, from the same curve: a delta for this epsilon >= 0, rounded up.
[[nodiscard]] double pld_delta(const SubsampledGaussian& mechanism, double epsilon);

/// Renyi divergence of order alpha > 1 of all steps together, rounded up (the larger direction).
[[nodiscard]] double renyi_divergence(const SubsampledGaussian& mechanism, double order);

/// What Renyi accounting says, and the order that says it.
struct RenyiBound {
  double epsilon;
  double order;
};
/// Least epsilon over all real orders; it is always at least the true epsilon, and usually some percent above
/// pld_epsilon. Source: Mironov, Talwar & Zhang 2019; Canonne, Kamath & Steinke 2020, Proposition 12.
[[nodiscard]] RenyiBound rdp_epsilon(const SubsampledGaussian& mechanism, Delta delta);

/// Least sigma, to 1e-6 relative and rounded up, whose pld_epsilon is within the budget; `mechanism.sigma` is
/// ignored.
[[nodiscard]] double subsampled_noise_multiplier(const SubsampledGaussian& mechanism, ApproxDp budget);

}  // namespace jme
