#pragma once

#include <cmath>
#include <cstddef>

namespace jme {

/// The upper triangle of a d x d matrix, row by row: entry (i, j), i <= j, at diagonal(i) + (j - i).
struct PackedTriangle {
  std::size_t dimension;

  [[nodiscard]] constexpr std::size_t size() const { return dimension * (dimension + 1) / 2; }
  /// Where row i begins, with its diagonal entry.
  [[nodiscard]] constexpr std::size_t diagonal(std::size_t i) const {
    return i * (2 * dimension + 1 - i) / 2;
  }
  /// The row of entry k < size(): the root of diagonal(i) = k, corrected where computing it in double rounds
  /// to another row.
  [[nodiscard]] std::size_t row_of(std::size_t k) const {
    const auto b = static_cast<double>(2 * dimension + 1);
    auto i = static_cast<std::size_t>((b - std::sqrt(b * b - 8 * static_cast<double>(k))) / 2);
    while (i > 0 && diagonal(i) > k) --i;
    while (i + 1 < dimension && diagonal(i + 1) <= k) ++i;
    return i;
  }
};

}  // namespace jme
