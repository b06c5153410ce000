#pragma once

#include <cstddef>
#include <span>

namespace jme {

/// Rows of numbers in somebody else's memory, with any strides: row-major, column-major, or parts of either.
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 1;  ///< in numbers, not bytes

  /// Row-major, without gaps.
  [[nodiscard]] static MatrixView of_rows(std::span<const double> numbers, std::size_t columns) {
    return {.data = numbers.data(),
            .rows = columns == 0 ? 0 : numbers.size() / columns,
            .columns = columns,
            .row_stride = static_cast<std::ptrdiff_t>(columns),
            .column_stride = 1};
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return data[static_cast<std::ptrdiff_t>(row) * row_stride +
                static_cast<std::ptrdiff_t>(column) * column_stride];
  }
  /// Rows [begin, begin + count).
  [[nodiscard]] MatrixView part(std::size_t begin, std::size_t count) const {
    MatrixView result = *this;
    result.data += static_cast<std::ptrdiff_t>(begin) * row_stride;
    result.rows = count;
    return result;
  }
};

}  // namespace jme
