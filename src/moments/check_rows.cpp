#include "moments/check_rows.hpp"

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "moments/row_kernels.hpp"

namespace jme {

void check_rows(const MatrixView& rows, std::size_t dimension, bool allow_nan, std::uint64_t before) {
  if (rows.columns != dimension) {
    throw DataError(
        fmt::format("rows of {} values were given, the dimension is {}", rows.columns, dimension));
  }
  const NotFinite bad = first_not_finite(rows, allow_nan);
  if (bad.row == rows.rows) return;
  const std::size_t row = before + bad.row + 1, column = bad.column + 1;
  throw DataError(fmt::format("row {}, column {}: not a finite number; none of the {} rows was taken", row,
                              column, rows.rows),
                  row, column);
}

}  // namespace jme
