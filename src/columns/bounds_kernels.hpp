#pragma once

#include <cstddef>
#include <span>

namespace jme {

/// Bounds of every column, and where they map it.
struct MappedColumns {
  std::span<const double> centre, half_width, low, high;
};

/// ColumnBounds::to_unit of many rows, one after another, all of whose cells are finite, with the SIMD
/// instructions of the processor at hand: the same bits as row by row. `below` and `above` get, for each
/// column, how many cells were beyond its bounds; a double holds such a count exactly.
void map_and_count_rows(const MappedColumns& columns, std::span<double> rows, std::span<double> below,
                        std::span<double> above);

}  // namespace jme
