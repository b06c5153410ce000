#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <jme/data/batch_reader.hpp>
#include <jme/rows/row_source.hpp>

namespace jme::cli {

/// The rows of a reader, which outlives them. Where rows may have to be waited for, a batch is one row.
class ReaderRows final : public RowSource {
 public:
  ReaderRows(BatchReader& reader, bool may_wait)
      : reader_(&reader), most_rows_(may_wait ? 1 : RowBatch::most_rows) {}
  bool next(RowBatch& batch) override { return reader_->next(batch, most_rows_); }
  [[nodiscard]] std::optional<double> progress() const override { return reader_->progress(); }

 private:
  BatchReader* reader_;
  std::size_t most_rows_;
};

/// Whether reading this path ("-": standard input) may have to wait for bytes.
[[nodiscard]] bool may_wait(const std::string& path);

}  // namespace jme::cli
