#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <jme/rows/row_batch.hpp>

#include "data/parsed_row.hpp"
#include "data/record_source.hpp"

namespace jme::data {

/// Whether the record has nothing but spaces.
[[nodiscard]] bool is_blank_record(std::string_view record);
/// What is wrong with a broken record.
[[nodiscard]] RowProblem fault_of(const RecordSource& record);

/// Makes a row of each record of a text: a blank record is a row whose cells are all missing; a record that
/// is too long, has a NUL byte or no value is a bad row. One record after the other, for one thread.
class RecordParser : public ParsedRow {
 public:
  /// The same for another thread, which has read nothing.
  [[nodiscard]] virtual std::unique_ptr<RecordParser> clone() const = 0;
  /// The record that was taken last.
  RowStatus take(const RecordSource& record, std::span<double> row);
  /// Takes those of the next records that are at hand, plain and good, all at once, up to the first that is
  /// not, as the rows [first, last) of the batch. Returns how many.
  virtual std::size_t take_plain(RecordSource& /*records*/, RowBatch& /*batch*/, std::size_t /*first*/,
                                 std::size_t /*last*/) {
    return 0;
  }

 protected:
  explicit RecordParser(const InputOptions& options) : needs_time_(options.time.has_value()) {}
  RecordParser(const RecordParser&) = default;
  RecordParser& operator=(const RecordParser&) = default;

  /// Reads a record that is text and not blank.
  virtual RowStatus parse(std::string_view record, std::span<double> row) = 0;
  /// Looks for the id of a record that is too long, of which these bytes are the beginning, or that has a NUL
  /// byte.
  virtual void find_person_of_broken(std::string_view /*beginning*/) {}

 private:
  RowStatus take_record(const RecordSource& record, std::span<double> row);
  RowStatus blank_row(std::span<double> row);

  bool needs_time_;
};

}  // namespace jme::data
