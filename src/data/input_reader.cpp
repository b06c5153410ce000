#include <algorithm>

#include <fmt/format.h>

#include <jme/data/input_reader.hpp>

namespace jme {

char parse_delimiter(std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "semicolon") return ';';
  if (text == "pipe") return '|';
  const bool one = text.size() == 1;
  if (!one || text[0] == '"' || text[0] == '\n' || text[0] == '\r' ||
      static_cast<unsigned char>(text[0]) >= 0x80) {
    throw InvalidParameter("delimiter", text,
                           "one character other than a quote or a line end, or tab, semicolon or pipe");
  }
  return text[0];
}

char parse_decimal(std::string_view text) {
  if (text == "point" || text == ".") return '.';
  if (text == "comma" || text == ",") return ',';
  throw InvalidParameter("decimal", text, "point or comma");
}

void InputReader::begin(Part part) {
  if (part.missing.empty()) part.missing.assign(dimension(), OnMissing::bad_row);
  if (part.missing.size() != dimension())
    throw InvalidParameter("missing", fmt::format("must have a rule for each of {} columns", dimension()));
  if (rows_of_part_ > 0 && left_ != 0)
    throw InvalidParameter("missing", "must be set before rows are read, or after the rows of a part");
  left_ = part.rows;
  rows_of_part_ = 0;
  apply(part);
}

bool InputReader::next(RowBatch& batch, std::size_t most_rows) {
  if (most_rows == 0) throw InvalidParameter("most-rows", "must be at least 1");
  batch.clear(dimension());
  if (error_) std::rethrow_exception(error_);
  if (left_) most_rows = static_cast<std::size_t>(std::min<std::uint64_t>(most_rows, *left_));
  if (most_rows == 0) return false;
  try {
    read(batch, most_rows);
  } catch (const DataError&) {
    batch.clear(dimension());
    error_ = std::current_exception();
  }
  if (batch.rows() == 0 && error_) std::rethrow_exception(error_);
  rows_ += batch.rows();
  rows_of_part_ += batch.rows();
  if (left_) *left_ -= batch.rows();
  if (batch.rows() == 0) left_ = 0;  // the end of this part, and of those after it
  return batch.rows() > 0;
}

}  // namespace jme
