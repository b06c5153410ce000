#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/mechanism/mechanism.hpp>
#include <jme/theory/expected_error.hpp>

namespace jme {

/// One row of `jme plan`.
struct PlanCandidate {
  Method method;
  Shape shape;                          ///< resolved
  std::optional<Shape> shape_second{};  ///< where it differs
  double lambda;
  Geometry geometry;  ///< resolved
  Calibration noise;
  double error_first;  ///< expected squared error summed over releases
  Interval error_second;
  double rmse_first,
      rmse_second;  ///< sqrt(error_first/(n d)), sqrt(error_second.high/(n d^2)) (diagonal: n d)
  /// sqrt of the first moment's mean squared error over releases of at least ten times as many rows as a
  /// person may have, where a person may have rows in several steps: candidates are judged by it.
  std::optional<double> rmse_late{};
  std::size_t state_vectors;  ///< per coordinate, of the channel that keeps more
  bool fits;                  ///< within what the configuration allows
  std::string note;           ///< why it is no good choice, where there is something to say; else empty
};

struct Plan {
  std::vector<PlanCandidate> candidates;
  std::size_t recommended;            ///< index into candidates
  std::vector<std::string> left_out;  ///< "METHOD with SHAPE: why" for what was not compared
};

/// Which methods and shapes to compare: the named ones, or all.
struct PlanScope {
  std::optional<Method> method{};
  std::optional<Shape> shape{};  ///< `automatic` counts as not named
};

/// Compares methods and shapes for this configuration. What cannot be built or predicted is left out and
/// listed in left_out; throws only where nothing is left.
///
/// The recommended candidate is, among those whose state fits (among all, if none does):
/// - With a balance w: least error_first + w error_second, the goal that w sets lambda for
///   (docs/theory/sensitivity.md#the-best-lambda).
/// - By default the first moment comes first: of those within 1% of the least first error, the least
///   second error. Replace-one has a second moment for free, so nothing has to be given up for it.
/// - Under add-remove, or with a lambda given: least error_first / least + error_second / least, since
///   there the second moment is paid for by the first.
///
/// Where a person may have rows in several steps, errors of releases of fewer than ten times as many rows as
/// a person may have do not count (docs/people.md#which-noise-shape). For PP's second error its upper bound
/// counts. On ties, the candidate with less state is taken.
[[nodiscard]] Plan plan(const StreamConfig& config, const PlanScope& scope);

}  // namespace jme
