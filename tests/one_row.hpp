#pragma once

#include <span>
#include <vector>

#include <jme/pipeline/row_rules.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme::test {

/// A batch of one row, and of nobody's where no person is given.
inline RowBatch one_row(std::span<const double> cells, const PersonId& person = {}) {
  RowBatch batch(cells.size());
  std::copy(cells.begin(), cells.end(), batch.add_row().begin());
  if (person) batch.set_person(0, *person);
  return batch;
}

inline RowBatch bad_row(std::size_t columns, const PersonId& person = {}) {
  RowBatch batch = one_row(std::vector<double>(columns, 0.0), person);
  batch.set_bad(0);
  return batch;
}

/// What became of one row.
struct TakenRow {
  std::vector<double> row, as_read;
};

inline TakenRow take(RowRules& rules, const RowBatch& batch) {
  const RowRules::Taken taken = rules.take(batch);
  return {{taken.rows.data, taken.rows.data + taken.rows.columns},
          {taken.as_read.data, taken.as_read.data + taken.as_read.columns}};
}

inline std::vector<double> take_row(RowRules& rules, std::span<const double> cells,
                                    const PersonId& person = {}) {
  return take(rules, one_row(cells, person)).row;
}

}  // namespace jme::test
