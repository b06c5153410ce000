#pragma once

#include <cstddef>

#include <Eigen/Core>

#include <jme/audit/audited_run.hpp>
#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// RAW DATA. How far apart two runs on two versions of the data are, in standard deviations of the noise: the
/// mechanism releases C X + Z, and a pair of inputs can be told apart exactly as well as N(0, 1) and
/// N(distance, 1).
struct PairDistance {
  /// From what both runs released with the same noise, turned into increments, which are whole numbers of
  /// lattice units, and multiplied by C.
  double found = 0;
  /// From the rows themselves: snapped to the public lattice, summed and multiplied, without the engine.
  double theory = 0;
  std::size_t changed_blocks = 0;
};
/// Throws InvalidParameter("method", ...) for squared noisy rows, and StateError where the runs do not have
/// the same releases, or a difference is no whole number of lattice units.
[[nodiscard]] PairDistance pair_distance(const Mechanism& mechanism, const AuditedRun& before,
                                         const AuditedRun& after);

/// The largest distance, by theory, of any pair of rows that is known to be far apart, in the place where a
/// row moves the releases most: corners of the box against the opposite ones, rows of full length, rows that
/// are not there. What the mechanism promises must not be below it.
[[nodiscard]] double largest_known_distance(const Mechanism& mechanism);

/// Noise as it was in a run, relative to what the mechanism states: the root mean square of all whitened
/// draws, and how far from 1 chance alone takes it in all but one of 1e9 runs.
struct NoiseSize {
  double relative = 1, tolerance = 0;
  std::size_t draws = 0;
  [[nodiscard]] bool is_as_stated() const { return std::abs(relative - 1) <= tolerance; }
};
[[nodiscard]] NoiseSize noise_size(const Mechanism& mechanism, const AuditedRun& run);

}  // namespace jme
