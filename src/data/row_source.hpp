#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <jme/rows/row_batch.hpp>

#include "data/parsed_row.hpp"

namespace jme::data {

class TextRows;

/// Rows of one format; each is a function of its record and of public choices. A file that is broken as a
/// whole throws DataError; a bad row is a status.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Reads the columns taken; after `bad` the content of `row` means nothing.
  virtual RowStatus next(std::span<double> row) = 0;
  /// Takes those of the next rows that are at hand and have a number in every cell, up to the first that has
  /// not, as the rows [first, last) of the batch. Returns how many.
  virtual std::size_t take_whole(RowBatch& /*batch*/, std::size_t /*first*/, std::size_t /*last*/) {
    return 0;
  }
  /// What is known of the row last read.
  [[nodiscard]] virtual ParsedRow& parsed() = 0;
  /// 1-based line or row last read, 0 before the first, and its name in messages.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] virtual std::string place() const = 0;
  /// The bytes of the record last read, whatever is read from them; the beginning of one that is too long.
  [[nodiscard]] virtual std::string record() const = 0;
  [[nodiscard]] virtual std::optional<double> progress() const = 0;
  /// Whether the next row may have to be waited for.
  [[nodiscard]] virtual bool may_wait() const = 0;
  /// Null where the rows are not records of text.
  [[nodiscard]] virtual TextRows* as_text() { return nullptr; }

 protected:
  std::size_t line_ = 0;
};

}  // namespace jme::data
