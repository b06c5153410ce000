#pragma once

#include <cstddef>
#include <optional>

#include <jme/rows/row_batch.hpp>
#include <jme/rows/source_place.hpp>

namespace jme {

/// Where rows come from, batch by batch: all that a front has to implement.
///
///   class Zeros final : public RowSource {
///     bool next(RowBatch& batch, std::size_t) override {
///       batch.clear(2);
///       batch.add_row();
///       return ++rows_ <= 10;
///     }
///   };
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  /// Replaces the rows of the batch by the next ones, at most so many. False at the end. Where rows may have
  /// to be waited for, a batch ends before the waiting. Throws DataError for an input that cannot be read on,
  /// after the batches with all rows before it.
  virtual bool next(RowBatch& batch, std::size_t most_rows) = 0;
  bool next(RowBatch& batch) { return next(batch, RowBatch::most_rows); }
  /// A place from which the source can go on, and how many of the rows that it gave came after it. Without
  /// bytes where it cannot.
  [[nodiscard]] virtual SourcePlace place_to_resume() const { return {}; }
  /// Fraction of the input that was read, where its size is known.
  [[nodiscard]] virtual std::optional<double> progress() const { return std::nullopt; }
};

}  // namespace jme
