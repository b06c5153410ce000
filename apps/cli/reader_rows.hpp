#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/data/row_reader.hpp>
#include <jme/rows/row_source.hpp>

namespace jme::cli {

/// The rows of a reader, which outlives them. Where rows may have to be waited for, a batch is one row.
class ReaderRows final : public RowSource {
 public:
  ReaderRows(RowReader& reader, bool may_wait);
  bool next(RowBatch& batch) override;
  [[nodiscard]] std::optional<double> progress() const override { return reader_->progress(); }

 private:
  RowReader* reader_;
  std::size_t most_;
  std::vector<double> row_;
  bool is_over_ = false;
};

/// Whether reading this path ("-": standard input) may have to wait for bytes.
[[nodiscard]] bool may_wait(const std::string& path);

}  // namespace jme::cli
