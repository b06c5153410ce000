#pragma once

#include <cstddef>
#include <utility>

#include <Eigen/Core>

#include <jme/models/running_moments.hpp>

namespace jme {

/// Principal components of the covariance in natural units, largest first.
struct PrincipalComponents {
  VectorEstimate values;      ///< variance along each component; negative ones, which are noise, are 0
  VectorEstimate shares;      ///< of the whole variance (the sum of all values, shown or not): 0 to 1
  MatrixEstimate components;  ///< one per ROW, of length 1
  /// How far each value is from the nearest other one, in standard deviations of the noise on the difference:
  /// below about 3 the two components cannot be told apart.
  Eigen::VectorXd separations;
};

/// Computes them release after release so that no component flips its sign between two releases.
///
/// A component's sign is arbitrary. The first release gives each component's largest entry (the first of
/// equals) a plus; each later release takes the sign that agrees with the most similar component of the
/// release before, so that the sign follows a component whose rank changes.
class ComponentTracker {
 public:
  /// The `count` largest, 1 <= count <= dimension. Remembers the components for the next release; where the
  /// moments are not known all numbers are NaN, and what was remembered stays.
  PrincipalComponents next(const RunningMoments& moments, std::size_t count);

  /// What is remembered: all components of the last release, one per row; empty before the first. Public,
  /// like the release. A tracker that goes on after a restart starts from it.
  [[nodiscard]] const Eigen::MatrixXd& memory() const { return memory_; }
  ComponentTracker() = default;
  explicit ComponentTracker(Eigen::MatrixXd memory) : memory_(std::move(memory)) {}

 private:
  Eigen::MatrixXd memory_;
};

}  // namespace jme
