#pragma once

#include <cstdint>
#include <string_view>

#include <jme/base/adjacency.hpp>
#include <jme/base/values.hpp>
#include <jme/privacy/allocation.hpp>
#include <jme/privacy/subsampled.hpp>

namespace jme {

/// How the rows of a training step are drawn.
enum class Sampling {
  poisson,         ///< every row enters every batch by chance; noise is fresh in every step
  cyclic_poisson,  ///< every row has a class, and enters by chance every `bands`-th step
  allocation       ///< every row enters one step of its class in each epoch
};
[[nodiscard]] Sampling parse_sampling(std::string_view text);
[[nodiscard]] std::string_view name(Sampling sampling);

/// Steps of training on sampled batches, with noise shaped by a lower triangular matrix that has `bands`
/// bands and columns of norm 1. Rows take part only in every `bands`-th step, so that a row's steps never
/// share noise (src/privacy/GUARANTEES.md, Shaped noise on sampled batches).
///
///   const SampledSteps run{.sampling = Sampling::allocation, .sampling_rate = 0.01, .bands = 10,
///                          .steps = 400, .sigma = 0.7};
///   const double epsilon = sampled_epsilon(run, 1e-6);
struct SampledSteps {
  Sampling sampling = Sampling::poisson;
  double sampling_rate = 1;  ///< expected batch size over the number of rows
  std::uint64_t bands = 1;
  std::uint64_t steps = 1;
  double sigma = 1;  ///< the noise's standard deviation over the sensitivity, as in SubsampledGaussian
  Adjacency adjacency = Adjacency::add_remove;
};

/// The smallest number of steps that has so many epochs. Throws InvalidParameter unless an epoch is a whole
/// number of steps.
[[nodiscard]] std::uint64_t steps_of_epochs(double sampling_rate, double epochs);

/// Poisson and cyclic Poisson sampling as fresh steps: ceil(steps / bands) of them at `bands` times the rate.
[[nodiscard]] SubsampledGaussian as_fresh_steps(const SampledSteps& run);
/// Allocation as epochs of turns. Throws InvalidParameter unless the bands divide the steps of an epoch, and
/// for replace-one, under which nothing is proved.
[[nodiscard]] Allocation as_allocation(const SampledSteps& run);

/// Least epsilon of all steps at this delta, rounded up, whatever the sampling.
[[nodiscard]] double sampled_epsilon(const SampledSteps& run, Delta delta);
/// Least sigma, rounded up, whose sampled_epsilon is within the budget; `run.sigma` is ignored.
[[nodiscard]] double sampled_noise_multiplier(const SampledSteps& run, ApproxDp budget);

}  // namespace jme
