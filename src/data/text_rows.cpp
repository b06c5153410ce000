#include "data/text_rows.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace jme::data {

TextRows::TextRows(TextInput input, const PieceReader::Options& options)
    : InputReader(input.parser->columns()),
      input_(std::move(input)),
      options_(options),
      is_live_(input_.records.bytes().may_wait()),
      filler_(options.on_bad_row, dimension()),
      with_numbers_(dimension()) {}

void TextRows::apply(const Part& part) {
  input_.parser->on_missing(part.missing);
  input_.parser->tell_records(part.tells_records);
  left_ = part.rows;
  if (pieces_) end_pieces();
}

void TextRows::read(RowBatch& batch, std::size_t most_rows) {
  if (given_ == parsed_.rows.rows() && !has_ended_) parse(most_rows);
  if (given_ == parsed_.rows.rows()) return throw_end();
  give(batch, most_rows);
}

void TextRows::parse(std::size_t most_rows) {
  given_ = 0;
  parsed_.rows.clear(dimension());
  if (is_live_ || !std::exchange(has_begun_, true)) return parse_one_by_one(is_live_ ? most_rows : 1);
  if (!pieces_) begin_pieces();
  has_ended_ = !pieces_->next(parsed_);
}

void TextRows::parse_one_by_one(std::size_t most_rows) {
  const BatchFiller::How how{.waits = is_live_, .is_held = std::exchange(input_.is_held, false)};
  has_ended_ = !filler_.fill(input_.records, *input_.parser, parsed_, most_rows, how);
  if (left_) *left_ -= parsed_.rows.rows();
}

void TextRows::begin_pieces() {
  if (!cutter_) {
    input_.records.finish_record();
    cutter_.emplace(input_.records, options_.piece_bytes);
    lines_ = input_.records.lines_taken();
  }
  cutter_->limit(left_);
  pieces_.emplace(input_.records, *input_.parser, *cutter_, options_, lines_, line_);
}

// All rows of the part were given.
void TextRows::end_pieces() {
  if (!has_ended_) static_cast<void>(pieces_->next(parsed_));
  lines_ = pieces_->lines();
  with_numbers_.add(pieces_->with_numbers());
  pieces_.reset();
}

void TextRows::give(RowBatch& batch, std::size_t most_rows) {
  const std::size_t end = std::min(parsed_.rows.rows(), given_ + most_rows);
  line_ = parsed_.line_of(end - 1);
  if (given_ == 0 && end == parsed_.rows.rows()) {
    std::swap(batch, parsed_.rows);
    parsed_.rows.clear(dimension());
  } else {
    batch.append(parsed_.rows, given_, end);
    given_ = end;
  }
}

// After the last row.
void TextRows::throw_end() {
  if (filler_.refused()) refuse(*filler_.refused());
  if (!pieces_) return;
  const TextEnd& end = pieces_->end();
  if (end.refused) refuse(*end.refused);
  if (end.has_unclosed_quote) throw DataError(unclosed_quote(input_.records.name(), end.unclosed_line));
  if (end.broken) std::rethrow_exception(end.broken);
}

void TextRows::refuse(const RefusedRow& row) {
  line_ = row.line;
  ColumnsWithNumbers all = with_numbers_;
  all.add(filler_.with_numbers());
  if (pieces_) all.add(pieces_->with_numbers());
  throw bad_record(place(), rows() + 1, row.problem, row.explanation, all.is_without(row.problem));
}

std::string TextRows::place() const {
  const std::string& name = input_.records.name();
  return line_ == 0 ? name : fmt::format("{}:{}", name, line_);
}

std::optional<double> TextRows::progress() const {
  return pieces_ ? pieces_->progress() : input_.records.progress();
}

}  // namespace jme::data
