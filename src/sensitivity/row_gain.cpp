#include "sensitivity/row_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>

#include "sensitivity/joint_gain.hpp"
#include "sensitivity/pattern.hpp"

namespace jme::sensitivity {
namespace {

double squared_bound(const RowModel& rows) {
  return rows.norm_bound * rows.norm_bound;
}

/// A row of one cell within less than the box is in a ball.
bool lies_in_ball(const RowModel& rows) {
  return rows.geometry != Geometry::box || (rows.dimension == 1 && rows.norm_bound < 1);
}

/// In units of the norm bound. A row against no row moves 1 + nu + row, which is 4 at the end of the flat
/// part.
BoxWeights ball_weights(const RowModel& rows) {
  BoxWeights weights;
  const bool has_second = rows.second != SecondMoment::none;
  if (rows.counts_rows) weights.row = !has_second ? 3 : rows.dimension == 1 ? 1 : 2.5;
  if (!has_second) return weights;
  weights.diagonal = free_gain_limit(Adjacency::replace_one, rows.dimension);
  if (rows.counts_rows) weights.diagonal = std::min(weights.diagonal, 3 - weights.row);
  if (rows.second == SecondMoment::full && rows.dimension > 1) {
    weights.off_diagonal = 2 * weights.diagonal * static_cast<double>(rows.dimension - 1);
  }
  return weights;
}

/// Rows in the box with a norm bound z below its corners: weights l of all products and l + k of squares are
/// free where 2 z^2 l + 4 k <= 1. On that border the whole matrix has the least error at k = 0, as in the
/// ball; squares alone may weigh 1/4 (GUARANTEES.md).
BoxWeights bounded_weights(const RowModel& rows) {
  BoxWeights weights;
  const double z2 = squared_bound(rows);
  const bool has_second = rows.second != SecondMoment::none;
  if (rows.counts_rows) weights.row = (has_second ? 2.5 : 3) * z2;
  if (!has_second) return weights;
  weights.diagonal = 1 / (2 * z2);
  if (rows.second == SecondMoment::diagonal) {
    weights.diagonal = std::max(0.25, weights.diagonal);
  } else {
    weights.off_diagonal = 2 * weights.diagonal * static_cast<double>(rows.dimension - 1);
  }
  return weights;
}

BoxWeights weights_of(const RowModel& rows) {
  check(rows);
  if (lies_in_ball(rows)) return ball_weights(rows);
  if (!reaches_corners(rows)) return bounded_weights(rows);
  // Without a count of rows, what complete rows may weigh is free beside an absent row too.
  Presence presence = rows.presence;
  if (presence != Presence::cells) presence = rows.counts_rows ? Presence::rows : Presence::complete;
  BoxWeights weights = jme::free_weights(rows.second, rows.dimension, presence);
  if (!rows.counts_rows) weights.row = 0;
  return weights;
}

/// One column is its own trace.
double trace_weight_of(const RowModel& rows) {
  const bool has_trace = rows.geometry == Geometry::ball_trace && rows.dimension > 1;
  return has_trace && rows.second != SecondMoment::none ? free_trace_weight : 0;
}

/// sup of (x - y)^2 + weight (x^2 - y^2)^2 over cells in [-1, 1].
double cell_gain(double weight) {
  return joint_gain(Adjacency::replace_one, 1, weight);
}

/// At least the supremum of f_2 over two cells that both rows have (GUARANTEES.md, "Beyond the free
/// weights").
double pair_gain(double diagonal, double off_diagonal) {
  const double edge = std::max({1.0, off_diagonal, diagonal / 2});
  return std::max(4 + 4 * edge, 2 * cell_gain(diagonal + off_diagonal / 2));
}

}  // namespace

RowGain::RowGain(const RowModel& rows)
    : rows_(rows), is_ball_(lies_in_ball(rows)), free_(weights_of(rows)), trace_(trace_weight_of(rows)) {}

bool RowGain::is_bounded() const {
  return !is_ball_ && !reaches_corners(rows_);
}

bool RowGain::may_be_absent() const {
  return rows_.counts_rows || rows_.presence != Presence::complete;
}

double RowGain::at(double nu) const {
  if (!(nu >= 0)) throw InvalidParameter("lambda", nu, "at least 0");
  if (is_ball_) return ball_at(nu);
  if (free_.diagonal > 0) return box_at(nu / free_.diagonal);
  if (nu > 0) throw InvalidParameter("lambda", nu, "0 where no second moment is released");
  return box_at(0);
}

double RowGain::ball_at(double nu) const {
  if (trace_ > 0) return traced_gain(rows_.dimension, nu, trace_);
  const double gain = joint_gain(rows_.adjacency, rows_.dimension, nu);
  if (!rows_.counts_rows) return gain;
  const double absent = 1 + nu + free_.row;
  return rows_.adjacency == Adjacency::add_remove ? absent : std::max(gain, absent);
}

double RowGain::first_size() const {
  if (is_ball_) return 1 + free_.row;
  if (is_bounded()) return squared_bound(rows_) + free_.row;
  return static_cast<double>(rows_.dimension) * (1 + free_.cells) + free_.row;
}

double RowGain::first_distance() const {
  if (is_ball_) return 4;
  if (is_bounded()) return 4 * squared_bound(rows_);
  return static_cast<double>(rows_.dimension) * std::max(4.0, 1 + free_.cells);
}

double RowGain::second_size(double nu) const {
  if (is_ball_) return nu * (1 + trace_);
  return nu > 0 ? nu / free_.diagonal * box_second_size() : 0;
}

/// Squares, products and pairs of one row, at the free weights.
double RowGain::box_second_size() const {
  const auto d = static_cast<double>(rows_.dimension);
  const auto& [diagonal, off_diagonal, cells, pairs, row] = free_;
  if (!is_bounded()) return d * (diagonal + (off_diagonal + pairs) / 2);
  // |x| <= z: products of all pairs sum to |x|^4, and squares of squares to at most min(1, z^2) |x|^2.
  const double z2 = squared_bound(rows_);
  const double product = off_diagonal > 0 ? off_diagonal / (2 * (d - 1)) : 0;
  return z2 * (product * z2 + (diagonal - product) * std::min(1.0, z2));
}

/// A row against no row, each term at its largest: at a corner of the box.
double RowGain::absent_row(double v) const {
  return first_size() + v * box_second_size();
}

double RowGain::box_at(double v) const {
  if (rows_.adjacency == Adjacency::add_remove) return absent_row(v);
  const double squared_length = is_bounded() ? squared_bound(rows_) : static_cast<double>(rows_.dimension);
  const double both = v <= 1 ? 4 * squared_length : box_beyond(v);
  return may_be_absent() && v > 1 ? std::max(both, absent_row(v)) : both;
}

/// Two rows that exist, at v > 1 times the free weights.
double RowGain::box_beyond(double v) const {
  const auto d = static_cast<double>(rows_.dimension);
  const double diagonal = v * free_.diagonal, off_diagonal = v * free_.off_diagonal, pairs = v * free_.pairs;
  const double lone = 1 + free_.cells + diagonal;  // a cell that one of the rows has
  double gain = 0;
  if (off_diagonal > 0) {
    gain = pair_gain(diagonal, off_diagonal);
    if (rows_.presence == Presence::cells) {
      gain = std::max(
          {gain, 2 * lone + off_diagonal + pairs, lone + off_diagonal + pairs + cell_gain(diagonal)});
    }
    gain *= d / 2;
  } else {
    gain =
        d * (rows_.presence == Presence::cells ? std::max(cell_gain(diagonal), lone) : cell_gain(diagonal));
  }
  if (!is_bounded()) return gain;
  const double z2 = squared_bound(rows_);
  const double ball = z2 * joint_gain(Adjacency::replace_one, rows_.dimension, diagonal * z2);
  return std::min({gain, ball, 4 * z2 * v});
}

double RowGain::slope(double nu) const {
  if (is_plain_ball()) return joint_gain_slope(rows_.adjacency, rows_.dimension, nu);
  // Only the choice of lambda depends on it, and never the noise that this lambda needs.
  const double step = 1e-6 * std::max(nu, free_.diagonal);
  return (at(nu + step) - at(nu)) / step;
}

double RowGain::limit() const {
  if (is_ball_) return std::max(second_gain(rows_.adjacency, rows_.dimension), 1 + trace_);
  if (free_.diagonal == 0) return 0;
  const double far = 0x1p60 * free_.diagonal;
  return at(far) / far;
}

double RowGain::flat() const {
  if (rows_.adjacency == Adjacency::add_remove) return 0;
  return is_plain_ball() ? free_gain_limit(rows_.adjacency, rows_.dimension) : free_.diagonal;
}

double RowGain::inverse(double rho) const {
  if (is_plain_ball()) return inverse_joint_gain(rows_.adjacency, rows_.dimension, rho);
  const double least = at(0);
  if (!(rho >= least)) throw InvalidParameter("gain", rho, "at least the gain at nu = 0");
  if (rho == least || free_.diagonal == 0) return flat();
  if (rho == std::numeric_limits<double>::infinity()) return rho;
  // The lower end stays within rho throughout.
  double low = flat();
  double high = 2 * free_.diagonal;
  while (at(high) <= rho && std::isfinite(high)) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return low;
    (at(middle) <= rho ? low : high) = middle;
  }
}

}  // namespace jme::sensitivity

namespace jme {

double squared_gain(const RowModel& rows, double lambda) {
  const sensitivity::RowGain gain(rows);
  return gain.length() * gain.length() * gain.at(lambda * gain.length() * gain.length());
}

EntryWeights entry_weights(const RowModel& rows) {
  const sensitivity::RowGain gain(rows);
  const BoxWeights& free = gain.free_weights();
  const double square = gain.length() * gain.length();
  EntryWeights weights{
      .off_diagonal = 0, .cells = free.cells, .row = free.row * square, .trace = gain.trace_weight()};
  if (free.off_diagonal == 0) return weights;
  const double all = free.diagonal * static_cast<double>(rows.dimension - 1);
  weights.off_diagonal = free.off_diagonal / all;
  weights.pairs = free.pairs / all;
  return weights;
}

double trace_share(const EntryWeights& weights, std::size_t dimension) {
  return weights.trace / (1 + static_cast<double>(dimension) * weights.trace);
}

double free_diagonal_weight(const RowModel& rows) {
  const sensitivity::RowGain gain(rows);
  return gain.free_weights().diagonal / (gain.length() * gain.length());
}

}  // namespace jme
