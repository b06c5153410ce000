#pragma once

#include <cstddef>
#include <vector>

#include <jme/base/adjacency.hpp>
#include <jme/base/geometry.hpp>
#include <jme/base/values.hpp>

namespace jme {

/// r_d(nu) of docs/theory/sensitivity.md#the-gain-of-one-row: sup over rows x, y of norm <= 1 of ||x - y||^2
/// + nu ||xx' - yy'||^2 (replace-one), or 1 + nu (add-remove). nu >= 0.
[[nodiscard]] double joint_gain(Adjacency adjacency, std::size_t dimension, double nu);
/// Largest nu with joint_gain <= rho; rho >= the gain at 0.
[[nodiscard]] double inverse_joint_gain(Adjacency adjacency, std::size_t dimension, double rho);

/// What one person can move: the sensitivity of sqrt(first-channel^2 + lambda second-channel^2) is
///     max over patterns of sum over (g1, g2) in the pattern of  g1 squared_gain(rows, lambda g2 / g1).
/// One participation: there is one pattern for every column, (g1, g2) = (a_i^2, b_i^2). Several: see
/// participation.hpp.
struct ColumnGain {
  double first;   ///< a_i^2, or the Gram row sum g1_i
  double second;  ///< b_i^2, or g2_i
};
struct Exposure {
  std::vector<std::vector<ColumnGain>> patterns{};
  std::size_t blocks_touched = 1;  ///< how many steps a person can touch, for rounding slack
};
/// One row per person; keeps only the Pareto-maximal columns. Spans are squared column norms of C1, C2.
[[nodiscard]] Exposure single_exposure(const std::vector<double>& squared_first,
                                       const std::vector<double>& squared_second);

/// What rows can be, and what is released of them beside their values.
struct RowModel {
  Adjacency adjacency = Adjacency::replace_one;
  std::size_t dimension = 1;
  double norm_bound = 1;               ///< zeta; in the box it counts where it is below sqrt(dimension)
  Geometry geometry = Geometry::ball;  ///< ball, ball_trace or box
  SecondMoment second = SecondMoment::full;
  Presence presence = Presence::complete;  ///< cells: counts of present cells and pairs are released too
  bool counts_rows = false;                ///< the number of rows that exist is released too
};

/// How much what is released counts beside the values (weight 1) and the diagonal of the second moment
/// (weight lambda): its squared changes are multiplied by this. 0: it is not released.
struct EntryWeights {
  double off_diagonal = 2;  ///< of x_i x_j, i < j, over lambda
  double pairs = 0;         ///< of the count of rows with both i and j, over lambda
  double cells = 0;         ///< of the count of rows with cell i
  double row = 0;           ///< of the count of rows
  double trace = 0;         ///< of the trace of the second moment, over lambda
};
/// Where the trace is released besides, with noise of variance 1/trace of a diagonal entry's, least squares
/// takes this share of the difference between it and the sum of the diagonal to every diagonal entry. An
/// entry's noise then has 1 - share of its variance, and two of them have -share of it as their covariance.
/// 0 without a trace.
[[nodiscard]] double trace_share(const EntryWeights& weights, std::size_t dimension);
/// Ball: off_diagonal is 2 for the full second moment, as an entry stands on both sides of the diagonal. Box:
/// the ratios of the free weights. The trace has a weight in the geometry ball_trace, for a second moment of
/// two columns or more. Throws InvalidParameter where the row model makes no sense.
[[nodiscard]] EntryWeights entry_weights(const RowModel& rows);
/// The weight of the diagonal up to which replacing a row moves no more than its values can (unit columns);
/// 0 where no second moment is released.
[[nodiscard]] double free_diagonal_weight(const RowModel& rows);
/// How far one row moves everything released of it, at weight lambda >= 0 of the diagonal: an upper bound of
/// the supremum over neighbours of the weighted squared changes, for unit columns. In the ball zeta^2
/// joint_gain(lambda zeta^2); exact up to the free weight in every geometry.
[[nodiscard]] double squared_gain(const RowModel& rows, double lambda);
/// Joint L2 sensitivity at weight lambda >= 0 of the second channel.
[[nodiscard]] double joint_sensitivity(const RowModel& rows, const Exposure& exposure, double lambda);
/// Sensitivity of the first channel alone, 2 zeta a (replace-one) or zeta a (add-remove).
[[nodiscard]] double first_sensitivity(const RowModel& rows, const Exposure& exposure);
/// Sensitivity of the second channel alone: sqrt2 zeta^2 b (d >= 2), zeta^2 b (d = 1, or add-remove).
[[nodiscard]] double second_sensitivity(const RowModel& rows, const Exposure& exposure);
/// Largest column norm (or root of the largest pattern sum) of each channel.
[[nodiscard]] double first_column_norm(const Exposure& exposure);
[[nodiscard]] double second_column_norm(const Exposure& exposure);

/// lambda*: the largest lambda whose joint sensitivity equals first_sensitivity; 0 under add-remove.
[[nodiscard]] double largest_free_lambda(const RowModel& rows, const Exposure& exposure);
/// lambda minimising w1 error_first + w2 error_second, where ratio = w2 N ||A2 C2^-1||^2 / (w1 d ||A1
/// C1^-1||^2) (docs/theory/sensitivity.md#the-best-lambda).
[[nodiscard]] double weighted_lambda(const RowModel& rows, const Exposure& exposure, double ratio);

}  // namespace jme
