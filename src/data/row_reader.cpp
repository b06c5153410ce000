#include <algorithm>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/row_reader.hpp>

#include "data/formats.hpp"
#include "data/row_source.hpp"

namespace jme {
namespace {

// The file's extension in lower case, looking through .gz and .xz.
std::string extension(std::string path) {
  std::transform(path.begin(), path.end(), path.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (path.ends_with(".gz") || path.ends_with(".xz")) path.resize(path.size() - 3);
  const std::size_t dot = path.find_last_of("./");
  return dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
}

InputFormat format_of(const std::string& path) {
  const std::string ending = extension(path);
  if (ending == ".ndjson" || ending == ".jsonl" || ending == ".json") return InputFormat::ndjson;
  return ending == ".npy" ? InputFormat::npy : InputFormat::csv;
}

std::unique_ptr<data::RowSource> open(const std::string& path, const InputOptions& options) {
  const InputFormat format = options.format == InputFormat::automatic ? format_of(path) : options.format;
  if (format == InputFormat::ndjson) return data::open_ndjson(path, options);
  if (format == InputFormat::npy) return data::open_npy(path, options);
  InputOptions csv = options;
  if (csv.delimiter == ',' && extension(path) == ".tsv") csv.delimiter = '\t';
  return data::open_csv(path, csv);
}

}  // namespace

struct RowReader::Impl {
  std::unique_ptr<data::RowSource> source;
  OnBadRow on_bad_row;
  std::vector<OnMissing> on_missing = {};
  bool is_bad = false;
  std::size_t bad_rows = 0;
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
  impl_->is_bad = false;
  impl_->source->forget_missing_cells();
  const data::RowStatus status = impl_->source->next(row);
  if (status != data::RowStatus::bad) return status == data::RowStatus::good;
  std::fill(row.begin(), row.end(), 0.0);
  impl_->is_bad = true;
  ++impl_->bad_rows;
  impl_->source->forget_missing_cells();
  const data::RowProblem& problem = impl_->source->problem();
  const bool must_fail = problem.is_missing && problem.column < impl_->on_missing.size() &&
                         impl_->on_missing[problem.column] == OnMissing::fail;
  if (impl_->on_bad_row == OnBadRow::fail || must_fail)
    throw DataError(fmt::format("{}: {}", place(), impl_->source->explain_problem()));
  return true;
}

bool RowReader::is_bad() const {
  return impl_->is_bad;
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
std::size_t RowReader::bad_rows() const {
  return impl_->bad_rows;
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
