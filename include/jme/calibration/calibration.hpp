#pragma once

#include <optional>

#include <jme/base/values.hpp>
#include <jme/calibration/method.hpp>
#include <jme/sensitivity/joint.hpp>

namespace jme {

/// How far rounding to the lattice may move the two channels' values in one block, in L2
/// (docs/theory/safety.md#data-on-the-lattice). calibrate() bounds what C makes of this movement over all the
/// blocks that a person touches.
struct RoundingSlack {
  double first = 0;   ///< (gamma1 + 2e) sqrt(d) where X_b is snapped, else 0
  double second = 0;  ///< gamma2 d (full), gamma2 sqrt(d) (diagonal)
};

struct CalibrationRequest {
  Method method = Method::jme;
  double sigma = 1;  ///< noise multiplier at sensitivity 1
  RowModel rows{};
  Exposure exposure{};
  SecondMoment second = SecondMoment::full;
  RoundingSlack slack{};
  std::optional<double> lambda{};  ///< default: lambda* (jme; none under add-remove), nu = 1 (lambda-jme)
  double alpha = 0.5;              ///< ime: the first moment's share of the budget
  std::optional<double> tau{};     ///< cs: default 1/zeta^2
};

/// A method as two numbers (docs/theory/calibration.md#methods), with what they were made of.
struct Calibration {
  double std_first;    ///< std1
  double std_second;   ///< std2, of a diagonal entry; 0 for PP and where no second moment is asked for
  double lambda;       ///< weight of the second channel (tau for CS; 0 where there is none)
  double sensitivity;  ///< joint, rounding slack included: std_first = sigma * sensitivity. IME: the first
                       ///< channel's alone, std_first = sigma * sensitivity / sqrt(alpha)
  double std_off_diagonal = 0;  ///< of an entry off the diagonal of the second moment
  // Of counts; 0 where they are not released.
  double std_count = 0, std_pair_count = 0, std_rows = 0;
};
/// Privacy: on every pair of neighbours ||C1 dX||^2/std1^2 + ||C2 dS||^2/std2^2 <= 1/sigma^2
/// (calibration/GUARANTEES.md).
[[nodiscard]] Calibration calibrate(const CalibrationRequest& request);

}  // namespace jme
