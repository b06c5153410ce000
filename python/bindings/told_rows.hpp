#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <jme/base/matrix_view.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme::python {

/// Rows with what is told beside them, one by one: whose they are, and when they happened. Empty: nothing is
/// told. A row without a time is a bad row, where others have one.
inline RowBatch told_rows(const MatrixView& rows, std::span<const std::optional<std::string>> persons,
                          std::span<const std::optional<Seconds>> times) {
  RowBatch batch(rows.columns);
  batch.add_rows(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t j = 0; j < rows.columns; ++j) batch.row(i)[j] = rows.at(i, j);
    if (!persons.empty() && persons[i]) batch.set_person(i, *persons[i]);
    if (times.empty()) continue;
    times[i] ? batch.set_time(i, *times[i]) : batch.set_bad(i);
  }
  return batch;
}

}  // namespace jme::python
