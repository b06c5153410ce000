#pragma once

#include <jme/sensitivity/joint.hpp>

#include "sensitivity/box.hpp"

namespace jme::sensitivity {

/// How far replacing (or removing) one row moves what is released of it: the supremum of M + lambda Q over
/// neighbouring rows, where M collects the squared changes of values, cells and the row itself, and Q those
/// of products and pairs, weighed against the diagonal (EntryWeights). Rows are measured in units of
/// length(), so that with nu = lambda length()^2
///
///     sup (M + lambda Q) = length()^2 at(nu) .
///
/// In the ball length() is the norm bound and at() is joint_gain (traced_gain where the trace is released
/// besides), in the box length() is 1. An upper bound
/// wherever GUARANTEES.md does not call it exact.
class RowGain {
 public:
  /// Throws InvalidParameter unless the row model makes sense.
  explicit RowGain(const RowModel& rows);

  [[nodiscard]] double length() const { return is_ball_ ? rows_.norm_bound : 1; }
  [[nodiscard]] double at(double nu) const;
  /// Right derivative of at().
  [[nodiscard]] double slope(double nu) const;
  /// Limit of at(nu) / nu.
  [[nodiscard]] double limit() const;
  /// The nu up to which at() stays at its value for nu = 0.
  [[nodiscard]] double flat() const;
  /// The squared size of what is released of one row in the first channel, and in the second at nu, each at
  /// its largest. One row, a corner of the box, has both; what a row against no row moves is their sum.
  [[nodiscard]] double first_size() const;
  [[nodiscard]] double second_size(double nu) const;
  /// How far two rows that exist are apart in the first channel alone; opposite corners of the box are, whose
  /// second channel has its largest size.
  [[nodiscard]] double first_distance() const;
  /// Largest nu with at(nu) <= rho; rho >= at(0).
  [[nodiscard]] double inverse(double rho) const;

  /// What is released beside values, at the weight of the diagonal up to which it is free.
  [[nodiscard]] const BoxWeights& free_weights() const { return free_; }
  /// Of the trace of the second moment, over the weight of the diagonal; 0 where it is not released.
  [[nodiscard]] double trace_weight() const { return trace_; }

 private:
  [[nodiscard]] bool is_plain_ball() const { return is_ball_ && !rows_.counts_rows && trace_ == 0; }
  [[nodiscard]] bool is_bounded() const;
  [[nodiscard]] bool may_be_absent() const;
  [[nodiscard]] double ball_at(double nu) const;
  [[nodiscard]] double box_at(double v) const;
  [[nodiscard]] double box_beyond(double v) const;
  [[nodiscard]] double absent_row(double v) const;
  [[nodiscard]] double box_second_size() const;

  RowModel rows_;
  bool is_ball_;
  BoxWeights free_;
  double trace_;
};

}  // namespace jme::sensitivity
