#include "moments/lattice_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace jme {
namespace {

double sum_of_squares(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

/// Clips to `norm_bound`, which is `units_in_bound` units; largest_square: of the units.
void clip(std::span<const double> row, double norm_bound, double units_in_bound, double largest_square,
          std::span<double> units) {
  double largest = 0;
  for (const double v : row) largest = std::max(largest, std::abs(v));
  if (largest == 0) {
    std::fill(units.begin(), units.end(), 0.0);
    return;
  }
  // Where squares could over- or underflow, entries are taken relative to the largest one; then no overflow
  // or underflow matters.
  const double divisor = has_safe_squares(largest) ? 1 : largest;
  for (std::size_t i = 0; i < row.size(); ++i) units[i] = row[i] / divisor;
  const double norm = std::sqrt(sum_of_squares(units));
  // min(divisor * norm, bound) / norm, written so that the product cannot overflow.
  const double scale = std::min(divisor, norm_bound / norm) / norm_bound * units_in_bound;
  for (double& v : units) v = std::floor(v * scale + 0.5);

  double square = sum_of_squares(units);
  while (square > largest_square) {
    const double shrink = units_in_bound / std::sqrt(square) * (1 - 0x1p-50);
    for (double& v : units) v = std::trunc(v * shrink);
    square = sum_of_squares(units);
  }
}

}  // namespace

// Sums of squares of whole numbers are exact in double up to 2^53, and a row that fails the test is far below
// that.
void clip_and_snap(std::span<const double> row, double norm_bound, std::span<double> units) {
  clip(row, norm_bound, lattice_one, lattice_one * lattice_one, units);
}

double largest_square_in_box(std::size_t dimension, double norm_bound) {
  const auto d = static_cast<double>(dimension);
  if (norm_bound >= std::sqrt(d)) return std::numeric_limits<double>::infinity();
  // Sums of more than 2^13 squares may be rounded: by less than this.
  return norm_bound * norm_bound * (lattice_one * lattice_one) * (1 - d * 0x1p-52);
}

void clamp_and_snap(std::span<const double> row, double norm_bound, std::span<double> units) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    units[i] = std::floor(std::clamp(row[i], -1.0, 1.0) * lattice_one + 0.5);
  }
  const double limit = largest_square_in_box(row.size(), norm_bound);
  if (!(sum_of_squares(units) > limit)) return;
  // A row on the lattice is clipped as it is: rounding adds nothing to it first.
  clip(units, norm_bound * lattice_one, norm_bound * lattice_one, limit, units);
}

void snap_row(const RowMap& map, std::span<const double> row, std::span<double> units) {
  const std::size_t d = map.layout.dimension;
  const std::span<double> values = units.first(d);
  std::copy(row.begin(), row.end(), values.begin());
  if (map.allows_absent()) {
    const auto absent = static_cast<std::size_t>(
        std::count_if(row.begin(), row.end(), [](double value) { return std::isnan(value); }));
    const bool exists = map.layout.cell_counts ? absent < d : absent == 0;
    for (std::size_t i = 0; i < d; ++i) {
      const bool present = exists && !std::isnan(values[i]);
      if (!present) values[i] = 0;
      if (map.layout.cell_counts) units[d + i] = present ? lattice_one : 0;
    }
    if (map.layout.row_count) units.back() = exists ? lattice_one : 0;
  }
  if (map.geometry == Geometry::box) {
    clamp_and_snap(values, map.norm_bound, values);
  } else {
    clip_and_snap(values, map.norm_bound, values);
  }
}

RowMap RowMap::of(const Mechanism& mechanism, const std::array<std::byte, 32>& details) {
  return {.layout = ReleaseLayout::of(mechanism),
          .geometry = mechanism.geometry() == Geometry::box ? Geometry::box : Geometry::ball,
          .norm_bound = mechanism.config().norm_bound,
          .details = details};
}

bool RowMap::clips_box() const {
  return geometry == Geometry::box && norm_bound < std::sqrt(static_cast<double>(layout.dimension));
}

}  // namespace jme
