#pragma once

#include <cstddef>
#include <optional>

#include <jme/data/batch_reader.hpp>
#include <jme/rows/row_source.hpp>

namespace jme::cli {

/// The rows of a reader, which outlives them. Where rows may have to be waited for, a batch ends before the
/// waiting.
class ReaderRows final : public RowSource {
 public:
  ReaderRows(BatchReader& reader, bool one_by_one)
      : reader_(&reader), most_rows_(one_by_one ? 1 : RowBatch::most_rows) {}
  bool next(RowBatch& batch) override { return reader_->next(batch, most_rows_); }
  [[nodiscard]] std::optional<double> progress() const override { return reader_->progress(); }

 private:
  BatchReader* reader_;
  std::size_t most_rows_;
};

}  // namespace jme::cli
