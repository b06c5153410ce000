#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/row_reader.hpp>

#include "data/columns.hpp"
#include "data/file_name.hpp"
#include "data/formats.hpp"
#include "data/row_source.hpp"

namespace jme {
namespace {

void check(InputFormat format, const InputOptions& options) {
  // Cells keep 32-bit places.
  if (options.longest_record < 1 || options.longest_record > std::size_t{1} << 30)
    throw InvalidParameter("longest-record", "must be between 1 byte and 1 GiB");
  if (options.width > data::most_columns)
    throw InvalidParameter("width", fmt::format("must be at most {}", data::most_columns));
  if (options.records == Records::quoted && format != InputFormat::csv)
    throw InvalidParameter("records", "quoted", "used with CSV");
  if (options.decimal == ',' && format != InputFormat::csv)
    throw InvalidParameter("decimal", "comma", "used with CSV");
  if (options.text && format == InputFormat::npy)
    throw InvalidParameter("format", "npy", "csv or ndjson for text in memory");
  if (options.feed != nullptr && format == InputFormat::npy)
    throw InvalidParameter("format", "npy", "csv or ndjson for records that come one by one");
  if (options.feed != nullptr && format == InputFormat::csv && options.header)
    throw InvalidParameter("no-header", "must be set for records that come one by one: none is a header");
  if (options.follow == InputOptions::Follow::no) return;
  if (format == InputFormat::npy)
    throw InvalidParameter("follow", "needs CSV or NDJSON: a .npy file does not grow");
  if (options.records == Records::quoted) {
    throw InvalidParameter("follow", "needs records that are lines: an open quote would wait for ever");
  }
}

std::unique_ptr<data::RowSource> open(const std::string& path, const InputOptions& options) {
  const InputFormat format = input_format(path, options);
  check(format, options);
  if (format == InputFormat::ndjson) return data::open_ndjson(path, options);
  if (format == InputFormat::npy) return data::open_npy(path, options);
  InputOptions csv = options;
  if (csv.delimiter == ',' && data::extension(path) == ".tsv") csv.delimiter = '\t';
  return data::open_csv(path, csv);
}

}  // namespace

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

InputFormat input_format(const std::string& path, const InputOptions& options) {
  if (options.format != InputFormat::automatic) return options.format;
  const std::string ending = data::extension(path);
  if (ending == ".ndjson" || ending == ".jsonl" || ending == ".json") return InputFormat::ndjson;
  return ending == ".npy" ? InputFormat::npy : InputFormat::csv;
}

struct RowReader::Impl {
  std::unique_ptr<data::RowSource> source;
  OnBadRow on_bad_row;
  std::vector<OnMissing> on_missing = {};
  bool is_bad = false;
  std::size_t bad_rows = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> missing = {};  // good rows without a number in the column
  std::optional<DataError> error = {};    // the error that ended the reading

  [[noreturn]] void end_with(DataError reason) {
    error = std::move(reason);
    throw *error;
  }
};

RowReader::RowReader(const std::string& path, const InputOptions& options)
    : impl_(std::make_unique<Impl>(Impl{.source = open(path, options), .on_bad_row = options.on_bad_row})) {}
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;
RowReader::~RowReader() = default;

const std::vector<std::string>& RowReader::columns() const {
  return impl_->source->columns();
}

bool RowReader::next(std::span<double> row) {
  if (row.size() != dimension())
    throw InvalidParameter("row", fmt::format("must have room for {} numbers", dimension()));
  if (impl_->error) throw *impl_->error;
  impl_->is_bad = false;
  impl_->source->forget_missing_cells();
  impl_->source->forget_person();
  impl_->source->forget_time();
  data::RowStatus status{};
  try {
    status = impl_->source->next(row);
  } catch (const DataError& error) {
    impl_->end_with(error);
  }
  if (status == data::RowStatus::end) return false;
  ++impl_->rows;
  if (status == data::RowStatus::good) {
    for (const std::size_t column : impl_->source->missing_cells()) {
      impl_->missing.resize(dimension());
      ++impl_->missing[column];
    }
    return true;
  }
  std::fill(row.begin(), row.end(), 0.0);
  impl_->is_bad = true;
  ++impl_->bad_rows;
  impl_->source->forget_missing_cells();
  const data::RowProblem& problem = impl_->source->problem();
  const bool must_fail = problem.is_missing && problem.column < impl_->on_missing.size() &&
                         impl_->on_missing[problem.column] == OnMissing::fail;
  if (impl_->on_bad_row == OnBadRow::fail || must_fail)
    impl_->end_with({fmt::format("{}: {}", place(), impl_->source->explain_problem()), impl_->rows,
                     problem.cell_number(), problem.remedy()});
  return true;
}

bool RowReader::is_bad() const {
  return impl_->is_bad;
}
bool RowReader::is_bad_like_others() const {
  return impl_->is_bad && impl_->source->problem().is_of_the_input();
}
bool RowReader::is_bad_for_column_of_text() const {
  const data::RowProblem& problem = impl_->source->problem();
  if (!impl_->is_bad || problem.kind != data::RowProblem::Kind::cell || problem.status != CellStatus::text)
    return false;
  const std::size_t good = impl_->rows - impl_->bad_rows;
  return good == (problem.column < impl_->missing.size() ? impl_->missing[problem.column] : 0);
}
bool RowReader::is_bad_for_missing_cell() const {
  return impl_->is_bad && impl_->source->problem().is_missing;
}
void RowReader::on_missing(std::vector<OnMissing> rules) {
  if (rules.size() != dimension())
    throw InvalidParameter("missing", fmt::format("must have a rule for each of {} columns", dimension()));
  impl_->on_missing = rules;
  impl_->source->on_missing(std::move(rules));
}
std::span<const std::size_t> RowReader::missing_cells() const {
  return impl_->source->missing_cells();
}
std::optional<Seconds> RowReader::time() const {
  return impl_->source->time();
}
std::string RowReader::record() const {
  return impl_->source->record();
}
std::size_t RowReader::bad_rows() const {
  return impl_->bad_rows;
}
std::optional<std::string_view> RowReader::person() const {
  return impl_->source->person();
}
std::size_t RowReader::line() const {
  return impl_->source->line();
}
std::string RowReader::place() const {
  return impl_->source->place();
}
std::optional<double> RowReader::progress() const {
  return impl_->source->progress();
}

}  // namespace jme
