#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/columns/bounds.hpp>

namespace jme {

/// How many cells of each column lay outside of its bounds and were clamped to them.
///
/// RAW DATA: exact counts, for the owner of the rows alone. No release, report, log or metric has them.
struct ClampCounts {
  explicit ClampCounts(std::size_t dimension)
      : cells(dimension, 0), below(dimension, 0), above(dimension, 0) {}

  std::vector<std::size_t> cells;         ///< that were compared, by column; a missing cell is none
  std::vector<std::size_t> below, above;  ///< of them, those below LOW and above HIGH

  /// The share of a column's cells that were clamped; 0 where it had no cells.
  [[nodiscard]] double share(std::size_t column) const;
};

/// From this share of a column's cells on its bounds are doubted.
inline constexpr double doubtful_clamped_share = 0.01;

/// What to tell the owner of the rows about a column of whose cells more than doubtful_clamped_share were
/// clamped: the share, the bound, and what to check. None for any other column.
[[nodiscard]] std::optional<std::string> clamping_warning(const ClampCounts& counts,
                                                          const ColumnBounds& bounds, std::size_t column,
                                                          std::string_view name);

}  // namespace jme
