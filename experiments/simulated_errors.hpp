#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <jme/mechanism/mechanism.hpp>

#include "experiments/monte_carlo.hpp"

namespace jme::experiments {

/// The made-up rows of a simulation: x_t = +-zeta e1, or two opposite corners of the box. They lie on the
/// lattice, so that all error is noise (corners to a few units where the geometry is the ball's). Alternating
/// rows attain PP's supremum over data (docs/theory/errors.md#the-cross-term), constant rows attain that of
/// JME's covariance (docs/theory/errors.md#running-covariance).
enum class Signs { alternating, constant };

/// What is simulated: the engine that users run, with a known seed, on a stream of known rows.
struct Simulation {
  const Mechanism& mechanism;  ///< one row per step
  Signs signs = Signs::alternating;
  bool at_corners = false;  ///< x_t = +-(1, ..., 1) in place of +-zeta e1; for simulated_errors
  std::size_t runs = 0;
  std::string_view what;  ///< names the draws, so that simulations are independent
};

/// ||packed - T||^2 of a packed upper triangle, off-diagonal entries counted twice. T has `corner` in its
/// first entry and `others` in all others.
[[nodiscard]] double squared_frobenius_distance(std::span<const double> packed, std::size_t dimension,
                                                double corner, double others = 0);

/// Squared errors summed over releases and coordinates, the symmetric matrix counted in full.
struct MomentErrors {
  Sample first, second;
};
[[nodiscard]] MomentErrors simulated_errors(const Effort& effort, const Simulation& simulation);

/// The same for the running covariance, with its bias removed and kept.
struct CovarianceErrors {
  Sample debiased, biased;
};
[[nodiscard]] CovarianceErrors simulated_covariance_errors(const Effort& effort,
                                                           const Simulation& simulation);

/// Squared error of A (C^-1 Z) alone with `width` independent normals of deviation `std` per step: the
/// paper's d^2 draws for a symmetric matrix, which the engine does not make.
[[nodiscard]] Sample simulated_noise(const Effort& effort, const Filter& a, const Filter& c, double std,
                                     std::size_t width, std::size_t runs, std::string_view what);

}  // namespace jme::experiments
