#pragma once

#include "data/row_reader.hpp"
#include "one_row.hpp"

namespace jme::test {

/// The row that a reader has read last, as the command gives it to a stream.
inline RowBatch read_row(const RowReader& reader, std::vector<double> row) {
  for (const std::size_t i : reader.missing_cells()) row[i] = RowBatch::missing;
  RowBatch batch = one_row(row, reader.person());
  if (reader.is_bad()) batch.set_bad(0);
  if (const auto time = reader.time()) batch.set_time(0, *time);
  return batch;
}

}  // namespace jme::test
