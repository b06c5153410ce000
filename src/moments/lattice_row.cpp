#include "moments/lattice_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace jme {
namespace {

constexpr double units_in_bound = 0x1p20;
// Sums of squares of whole numbers: exact in double up to 2^53, and a row that fails the test is far below
// that.
constexpr double largest_square = units_in_bound * units_in_bound;

double sum_of_squares(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

}  // namespace

void clip_and_snap(std::span<const double> row, double norm_bound, std::span<double> units) {
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

}  // namespace jme
