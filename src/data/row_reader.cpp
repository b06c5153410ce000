#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/row_reader.hpp>

#include "data/columns_with_numbers.hpp"
#include "data/file_name.hpp"
#include "data/formats.hpp"
#include "data/row_source.hpp"

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

InputFormat input_format(const std::string& path, const InputOptions& options) {
  if (options.format != InputFormat::automatic) return options.format;
  const std::string ending = data::extension(path);
  if (ending == ".ndjson" || ending == ".jsonl" || ending == ".json") return InputFormat::ndjson;
  return ending == ".npy" ? InputFormat::npy : InputFormat::csv;
}

struct RowReader::Impl {
  std::unique_ptr<data::RowSource> source;
  OnBadRow on_bad_row;
  bool is_bad = false;
  std::size_t bad_rows = 0;
  std::size_t rows = 0;
  data::ColumnsWithNumbers with_numbers = data::ColumnsWithNumbers(source->parsed().columns().size());
  std::optional<DataError> error = {};  // the error that ended the reading

  [[noreturn]] void end_with(DataError reason) {
    error = std::move(reason);
    throw *error;
  }
};

RowReader::RowReader(const std::string& path, const InputOptions& options)
    : impl_(std::make_unique<Impl>(
          Impl{.source = data::open_rows(path, options), .on_bad_row = options.on_bad_row})) {}
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;
RowReader::~RowReader() = default;

const std::vector<std::string>& RowReader::columns() const {
  return impl_->source->parsed().columns();
}

bool RowReader::next(std::span<double> row) {
  if (row.size() != dimension())
    throw InvalidParameter("row", fmt::format("must have room for {} numbers", dimension()));
  if (impl_->error) throw *impl_->error;
  impl_->is_bad = false;
  data::ParsedRow& parsed = impl_->source->parsed();
  parsed.forget();
  data::RowStatus status{};
  try {
    status = impl_->source->next(row);
  } catch (const DataError& error) {
    impl_->end_with(error);
  }
  if (status == data::RowStatus::end) return false;
  ++impl_->rows;
  if (status == data::RowStatus::good) {
    impl_->with_numbers.add(row);
    for (const std::size_t column : parsed.missing_cells()) row[column] = 0.0;
    return true;
  }
  std::fill(row.begin(), row.end(), 0.0);
  impl_->is_bad = true;
  ++impl_->bad_rows;
  parsed.forget_missing_cells();
  if (parsed.must_fail(impl_->on_bad_row))
    impl_->end_with({fmt::format("{}: {}", place(), parsed.explain_problem()), impl_->rows,
                     parsed.problem().cell_number(), parsed.problem().remedy()});
  return true;
}

bool RowReader::is_bad() const {
  return impl_->is_bad;
}
bool RowReader::is_bad_like_others() const {
  return impl_->is_bad && impl_->source->parsed().problem().is_of_the_input();
}
bool RowReader::is_bad_for_column_of_text() const {
  return impl_->is_bad && impl_->with_numbers.is_without(impl_->source->parsed().problem());
}
bool RowReader::is_bad_for_missing_cell() const {
  return impl_->is_bad && impl_->source->parsed().problem().is_missing;
}
void RowReader::on_missing(std::vector<OnMissing> rules) {
  if (rules.size() != dimension())
    throw InvalidParameter("missing", fmt::format("must have a rule for each of {} columns", dimension()));
  impl_->source->parsed().on_missing(std::move(rules));
}
std::span<const std::size_t> RowReader::missing_cells() const {
  return impl_->source->parsed().missing_cells();
}
std::optional<Seconds> RowReader::time() const {
  return impl_->source->parsed().time();
}
std::string RowReader::record() const {
  return impl_->source->record();
}
std::size_t RowReader::bad_rows() const {
  return impl_->bad_rows;
}
std::optional<std::string_view> RowReader::person() const {
  return impl_->source->parsed().person();
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
