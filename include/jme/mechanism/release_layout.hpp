#pragma once

#include <cstddef>

#include <jme/base/values.hpp>
#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// What each channel releases in one step, in this order.
struct ReleaseLayout {
  std::size_t dimension = 0;
  SecondMoment second = SecondMoment::full;
  bool cell_counts = false;  ///< of present cells, and where the second moment is full of present pairs
  bool row_count = false;    ///< of rows that exist
  bool trace = false;        ///< of the second moment, besides its entries

  [[nodiscard]] static ReleaseLayout of(const Mechanism& mechanism);

  /// Channel 1: d sums, d counts of cells, one count of rows.
  [[nodiscard]] std::size_t count_of_cells() const { return cell_counts ? dimension : 0; }
  [[nodiscard]] std::size_t first_size() const { return dimension + count_of_cells() + (row_count ? 1 : 0); }
  /// Channel 2: the second moment (upper triangle row by row, or diagonal), then counts of pairs (i, j),
  /// i < j, row by row, then the trace.
  [[nodiscard]] std::size_t moment_size() const { return second_moment_size(second, dimension); }
  [[nodiscard]] std::size_t count_of_pairs() const {
    return cell_counts && second == SecondMoment::full ? dimension * (dimension - 1) / 2 : 0;
  }
  [[nodiscard]] std::size_t second_size() const { return moment_size() + count_of_pairs() + (trace ? 1 : 0); }

  bool operator==(const ReleaseLayout&) const = default;
};

}  // namespace jme
