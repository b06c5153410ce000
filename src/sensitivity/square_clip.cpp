#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/square_clip.hpp>

namespace jme {
namespace {

// Weights that are 1/4 except for rounding are free: the gain grows by at most twice what the weight does,
// and calibration leaves more room than that.
constexpr double free_weight = 0.25 * (1 + 1e-15);

/// At least the largest (1 + w)^2 (1 + weight (1 - w)^2) / (1 + w^2) over w in [0, 1]. The quotient rises
/// with w and the other factor falls, so on a cell each is at most what it is at one of the ends.
double largest_of_two_coordinates(double weight) {
  constexpr int cells = 1 << 14;
  double largest = 0;
  for (int k = 0; k < cells; ++k) {
    const double low = static_cast<double>(k) / cells, high = static_cast<double>(k + 1) / cells;
    const double rising = (1 + high) * (1 + high) / (1 + high * high);
    const double falling = 1 + weight * (1 - low) * (1 - low);
    largest = std::max(largest, rising * falling);
  }
  return largest;
}

void check(const RowModel& rows, const SquareClip& clip) {
  if (!(clip.bound > 0 && clip.bound <= rows.norm_bound))
    throw InvalidParameter("square-clip", clip.bound, "above 0 and at most the norm bound");
}

}  // namespace

double clipped_square_gain(Adjacency adjacency, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight))
    throw InvalidParameter("lambda", weight, "a finite number of at least 0");
  if (adjacency == Adjacency::add_remove) return 1 + weight;
  if (weight <= free_weight) return 4;
  // Squares differ by at most c^2 max(x^2, y^2) <= c^2 (x^2 + y^2) in a coordinate, so that 4 + 2 weight is
  // always enough as well.
  return std::min(2 * largest_of_two_coordinates(weight), 4 + 2 * weight);
}

double clipped_square_sensitivity(const RowModel& rows, const SquareClip& clip, const Exposure& exposure,
                                  double lambda) {
  const double without_bounds = joint_sensitivity(rows, exposure, lambda);  // checks all of them
  check(rows, clip);
  if (clip.is_uniform && clip.bound == rows.norm_bound) return without_bounds;  // it bounds nothing
  const double zeta2 = rows.norm_bound * rows.norm_bound;
  const double c2 = clip.bound * clip.bound;
  const double second_alone = rows.adjacency == Adjacency::replace_one ? 2 : 1;
  const auto gain_of = [&](const ColumnGain& column) {
    if (column.first <= 0) return second_alone * lambda * c2 * column.second;
    const double here = lambda * column.second / column.first;
    double gain = clipped_square_gain(rows.adjacency, here * c2);
    // Where all bounds are the same, squares that are clipped are never farther apart than those that are
    // not.
    if (clip.is_uniform) gain = std::min(gain, joint_gain(rows.adjacency, rows.dimension, here * zeta2));
    return column.first * gain;
  };
  double largest = 0;
  for (const auto& pattern : exposure.patterns) {
    double sum = 0;
    for (const ColumnGain& column : pattern) sum += gain_of(column);
    largest = std::max(largest, sum);
  }
  return std::sqrt(zeta2 * largest);
}

double free_lambda_of_clipped_squares(const RowModel& rows, const SquareClip& clip) {
  check(rows, clip);
  if (rows.adjacency == Adjacency::add_remove) return 0;
  const double clipped = 1 / (4 * clip.bound * clip.bound);
  return clip.is_uniform ? std::max(clipped, 1 / (2 * rows.norm_bound * rows.norm_bound)) : clipped;
}

}  // namespace jme
