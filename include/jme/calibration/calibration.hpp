#pragma once

#include <optional>

#include <jme/base/values.hpp>
#include <jme/calibration/method.hpp>
#include <jme/sensitivity/joint.hpp>

namespace jme {

/// How far rounding to the lattice may move ONE entry of a block's sums
/// (docs/theory/safety.md#data-on-the-lattice), in the entry's own unit; 0 where nothing is rounded.
/// calibrate() bounds what all entries together make of it, at their weights, through C and over all the
/// blocks that a person touches.
struct RoundingSlack {
  double first = 0;   ///< a value's sum
  double second = 0;  ///< a sum of products
  double count = 0;   ///< a count of cells, pairs or rows
  double trace = 0;   ///< the sum of the squares of all columns
};

struct CalibrationRequest {
  Method method = Method::jme;
  double sigma = 1;  ///< noise multiplier at sensitivity 1
  RowModel rows{};   ///< its `second` is replaced by the one below
  Exposure exposure{};
  SecondMoment second = SecondMoment::full;
  RoundingSlack slack{};
  /// Weight of the diagonal of the second moment. Default for jme: lambda* (in the ball none under
  /// add-remove; in the box there that of replace-one). For lambda-jme: nu = 1 in the ball, and in the box
  /// twice the weight that is free.
  std::optional<double> lambda{};
  double alpha = 0.5;           ///< ime: the first moment's share of the budget
  std::optional<double> tau{};  ///< cs: default 1/zeta^2
};

/// A method as two numbers (docs/theory/calibration.md#methods), with what they were made of.
struct Calibration {
  double std_first;    ///< std1
  double std_second;   ///< std2, drawn for a diagonal entry; 0 for PP and where no second moment is asked for
  double lambda;       ///< weight of the second channel (tau for CS; 0 where there is none)
  double sensitivity;  ///< joint, rounding slack included: std_first = sigma * sensitivity. IME: the first
                       ///< channel's alone, std_first = sigma * sensitivity / sqrt(alpha)
  double std_off_diagonal = 0;  ///< of an entry off the diagonal of the second moment
  // Of counts; 0 where they are not released.
  double std_count = 0, std_pair_count = 0, std_rows = 0;
  double std_trace = 0;    ///< drawn for the trace of the second moment; 0 where it is not released besides
  double trace_share = 0;  ///< what least squares takes of it to the diagonal (jme::trace_share)

  /// Of a diagonal entry, after least squares with the trace: std2 where there is none.
  [[nodiscard]] double std_diagonal() const;
};
/// Privacy: on every pair of neighbours ||C1 dX||^2/std1^2 + ||C2 dS||^2/std2^2 <= 1/sigma^2, where each
/// entry and count is divided by its own standard deviation (calibration/GUARANTEES.md).
[[nodiscard]] Calibration calibrate(const CalibrationRequest& request);

}  // namespace jme
