#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include <jme/data/batch_reader.hpp>
#include <jme/rows/row_source.hpp>

namespace jme::cli {

/// The rows of a reader, which outlives them. Where rows may have to be waited for, a batch ends before the
/// waiting.
class ReaderRows final : public RowSource {
 public:
  using Place = std::function<SourcePlace()>;
  /// `place`: where rows that do not come from a file can go on.
  ReaderRows(BatchReader& reader, bool one_by_one, Place place = {})
      : reader_(&reader), most_rows_(one_by_one ? 1 : RowBatch::most_rows), place_(std::move(place)) {}
  bool next(RowBatch& batch) override { return reader_->next(batch, most_rows_); }
  [[nodiscard]] SourcePlace place() const override { return place_ ? place_() : SourcePlace(); }
  [[nodiscard]] std::optional<double> progress() const override { return reader_->progress(); }

 private:
  BatchReader* reader_;
  std::size_t most_rows_;
  Place place_;
};

}  // namespace jme::cli
