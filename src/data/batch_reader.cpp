#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/batch_reader.hpp>

#include "data/columns_with_numbers.hpp"
#include "data/formats.hpp"
#include "data/parsed_batch.hpp"
#include "data/piece_reader.hpp"
#include "data/text_rows.hpp"

namespace jme {

using data::ColumnsWithNumbers;
using data::ParsedBatch;
using data::PieceReader;
using data::RefusedRow;

/// Rows come one by one, each with its record, while one is asked for at a time; then text that is there as a
/// whole comes in pieces, other text as it arrives.
struct BatchReader::Impl {
  Impl(const std::string& path, const InputOptions& options, const PieceReader::Options& piece_options)
      : source(data::open_rows(path, options)),
        pieces_of(piece_options),
        with_numbers(source->parsed().columns().size()),
        filler(options.on_bad_row, source->parsed().columns().size()) {}

  [[nodiscard]] bool is_begun() const { return pieces || is_filling; }
  bool read(RowBatch& batch, std::size_t most_rows);
  data::RowStatus next_row(std::span<double> row);
  bool read_one_by_one(RowBatch& batch, std::size_t most_rows);
  bool read_text(RowBatch& batch, std::size_t most_rows);
  void give(RowBatch& batch, std::size_t most_rows);
  void count(const RowBatch& batch);
  void throw_end();
  [[noreturn]] void refuse(const RefusedRow& row);
  [[nodiscard]] std::string place() const;

  std::unique_ptr<data::RowSource> source;
  PieceReader::Options pieces_of;
  std::unique_ptr<PieceReader> pieces{};  // where text comes in pieces
  bool is_filling = false;                // text as it arrives comes in batches
  bool has_ended = false;                 // it has no further batch
  ColumnsWithNumbers with_numbers;        // of the rows that came one by one
  data::BatchFiller filler;
  ParsedBatch parsed{};   // the batch that is being given
  std::size_t given = 0;  // of its rows
  std::size_t rows = 0, bad_rows = 0;
  std::optional<std::size_t> line{};  // of the last row; none: the source knows
  std::optional<RefusedRow> refused{};
  std::exception_ptr broken{};
  std::optional<DataError> error{};
};

bool BatchReader::Impl::read(RowBatch& batch, std::size_t most_rows) {
  data::TextRows* const text = source->as_text();
  // The first row of a text is never in a piece, because the beginning of the input is not like the rest.
  if (text == nullptr || (!is_begun() && (most_rows == 1 || rows == 0))) {
    const bool one = text != nullptr || source->may_wait();
    return read_one_by_one(batch, one ? 1 : std::min(most_rows, data::most_rows_of(batch.columns())));
  }
  if (!is_begun() && !source->may_wait()) {
    text->records().finish_record();
    pieces = std::make_unique<PieceReader>(*text, pieces_of);
  }
  is_filling = !pieces;
  return read_text(batch, most_rows);
}

// What is broken is told after the rows before it.
data::RowStatus BatchReader::Impl::next_row(std::span<double> row) {
  try {
    return source->next(row);
  } catch (const DataError&) {
    broken = std::current_exception();
    return data::RowStatus::end;
  }
}

bool BatchReader::Impl::read_one_by_one(RowBatch& batch, std::size_t most_rows) {
  data::ParsedRow& row = source->parsed();
  batch.add_unset_rows(most_rows);
  std::size_t i = 0;
  for (; i < most_rows; ++i) {
    i += source->take_whole(batch, i, most_rows);
    if (i == most_rows) break;
    row.forget();
    const data::RowStatus status = next_row(batch.row(i));
    if (status == data::RowStatus::end) break;
    if (status == data::RowStatus::bad && row.must_fail(pieces_of.on_bad_row)) {
      refused =
          RefusedRow{.line = source->line(), .problem = row.problem(), .explanation = row.explain_problem()};
      break;
    }
    if (status == data::RowStatus::bad) batch.set_bad(i);
    if (const auto person = row.person()) batch.set_person(i, *person);
    if (const auto time = row.time()) batch.set_time(i, *time);
  }
  batch.keep_first(i);
  for (i = 0; i < batch.rows() && !with_numbers.are_all(); ++i) {
    if (!batch.is_bad(i)) with_numbers.add(batch.row(i));
  }
  count(batch);
  return batch.rows() > 0;
}

bool BatchReader::Impl::read_text(RowBatch& batch, std::size_t most_rows) {
  if (given < parsed.rows.rows()) {
    give(batch, most_rows);
    return true;
  }
  given = 0;
  parsed.rows.clear(batch.columns());
  if (has_ended) return false;
  if (pieces) {
    has_ended = !pieces->next(parsed);
  } else {
    data::TextRows& text = *source->as_text();
    has_ended = !filler.fill(text.records(), text.parser(), parsed, most_rows, true);
    if (filler.refused()) refused = filler.refused();
  }
  if (parsed.rows.rows() == 0) return false;
  give(batch, most_rows);
  return true;
}

void BatchReader::Impl::give(RowBatch& batch, std::size_t most_rows) {
  const std::size_t end = std::min(parsed.rows.rows(), given + most_rows);
  line = parsed.line_of(end - 1);
  if (given == 0 && end == parsed.rows.rows()) {
    std::swap(batch, parsed.rows);
    parsed.rows.clear(batch.columns());
  } else {
    batch.append(parsed.rows, given, end);
    given = end;
  }
  count(batch);
}

void BatchReader::Impl::count(const RowBatch& batch) {
  rows += batch.rows();
  for (std::size_t i = 0; batch.has_bad() && i < batch.rows(); ++i) bad_rows += batch.is_bad(i) ? 1 : 0;
}

// After the last batch.
void BatchReader::Impl::throw_end() {
  if (pieces && pieces->end().refused) refused = pieces->end().refused;
  if (refused) refuse(*refused);
  if (broken) std::rethrow_exception(broken);
  if (!pieces) return;
  if (pieces->end().has_unclosed_quote) {
    throw DataError(data::unclosed_quote(source->as_text()->records().name(), pieces->end().unclosed_line));
  }
  if (pieces->end().broken) std::rethrow_exception(pieces->end().broken);
}

void BatchReader::Impl::refuse(const RefusedRow& row) {
  ++bad_rows;
  line = row.line;
  throw DataError(fmt::format("{}: {}", place(), row.explanation), rows + 1, row.problem.cell_number(),
                  row.problem.remedy());
}

std::string BatchReader::Impl::place() const {
  const data::TextRows* const text = source->as_text();
  if (!line || text == nullptr || text->records().feed() != nullptr) return source->place();
  return fmt::format("{}:{}", text->records().name(), *line);
}

BatchReader::BatchReader(const std::string& path, const InputOptions& options, std::size_t threads,
                         std::size_t piece_bytes)
    : impl_(std::make_unique<Impl>(
          path, options,
          PieceReader::Options{
              .threads = threads, .piece_bytes = piece_bytes, .on_bad_row = options.on_bad_row})) {}
BatchReader::BatchReader(BatchReader&&) noexcept = default;
BatchReader& BatchReader::operator=(BatchReader&&) noexcept = default;
BatchReader::~BatchReader() = default;

const std::vector<std::string>& BatchReader::columns() const {
  return impl_->source->parsed().columns();
}

void BatchReader::on_missing(std::vector<OnMissing> rules) {
  if (rules.size() != dimension())
    throw InvalidParameter("missing", fmt::format("must have a rule for each of {} columns", dimension()));
  if (impl_->is_begun()) throw InvalidParameter("missing", "must be set before rows are read in batches");
  impl_->source->parsed().on_missing(std::move(rules));
}

bool BatchReader::next(RowBatch& batch, std::size_t most_rows) {
  if (most_rows == 0) throw InvalidParameter("most-rows", "must be at least 1");
  batch.clear(dimension());
  if (impl_->error) throw *impl_->error;
  try {
    if (!impl_->refused && !impl_->broken && impl_->read(batch, most_rows)) return true;
    impl_->throw_end();
    return false;
  } catch (const DataError& error) {
    impl_->error = error;
    throw;
  }
}

std::string BatchReader::record() const {
  if (impl_->is_begun()) throw InvalidParameter("record", "is known of rows that are read one by one");
  return impl_->source->record();
}
std::size_t BatchReader::bad_rows() const {
  return impl_->bad_rows;
}
bool BatchReader::is_bad() const {
  return impl_->error && impl_->refused;
}
bool BatchReader::is_bad_like_others() const {
  return is_bad() && impl_->refused->problem.is_of_the_input();
}
bool BatchReader::is_bad_for_column_of_text() const {
  if (!is_bad()) return false;
  ColumnsWithNumbers all = impl_->with_numbers;
  all.add(impl_->pieces ? impl_->pieces->with_numbers() : impl_->filler.with_numbers());
  return all.is_without(impl_->refused->problem);
}
bool BatchReader::is_bad_for_missing_cell() const {
  return is_bad() && impl_->refused->problem.is_missing;
}
std::size_t BatchReader::line() const {
  return impl_->line.value_or(impl_->source->line());
}
std::string BatchReader::place() const {
  return impl_->place();
}
std::optional<double> BatchReader::progress() const {
  return impl_->pieces ? impl_->pieces->progress() : impl_->source->progress();
}

}  // namespace jme
