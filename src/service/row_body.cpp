#include "service/row_body.hpp"

#include <algorithm>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>

namespace jme::service {

namespace {

char delimiter_of(const RunSettings& settings) {
  const auto& text = settings["delimiter"];
  if (!text) return ',';
  if (*text == "tab" || *text == "\\t") return '\t';
  if (text->size() != 1) throw InvalidParameter("delimiter", *text, "one character, or tab");
  return text->front();
}

Records records_of(const RunSettings& settings) {
  const auto& text = settings["records"];
  if (!text || *text == "lines") return Records::lines;
  if (*text == "quoted") return Records::quoted;
  throw InvalidParameter("records", *text, "lines or quoted");
}

}  // namespace

RowBody::RowBody(const RunSettings& settings, const PreparedRun& run, std::size_t longest_record)
    : columns_(run.columns()), rules_(run.missing().rules()) {
  options_.format = InputFormat::csv;
  options_.compression = Compression::none;
  options_.records = records_of(settings);
  options_.header = !settings.is_on("no_header");
  options_.delimiter = delimiter_of(settings);
  options_.on_bad_row = settings["on_bad_row"] ? parse_on_bad_row(*settings["on_bad_row"]) : OnBadRow::zero;
  options_.longest_record = longest_record;
  options_.person = settings["person"].value_or("");
}

ReadRows RowBody::read(WriteRequest::Content content, std::string_view body) const {
  InputOptions options = options_;
  options.text = body;
  options.columns = columns_;
  if (content == WriteRequest::Content::ndjson) {
    options.format = InputFormat::ndjson;
    options.records = Records::lines;
  } else if (!options.header) {
    options.columns.clear();
    options.width = columns_.size();
  }
  RowReader reader("body", options);
  reader.on_missing(rules_);
  ReadRows rows;
  const std::size_t d = columns_.size();
  std::vector<double> row(d);
  while (reader.next(row)) {
    if (reader.is_bad()) {
      std::fill(row.begin(), row.end(), std::numeric_limits<double>::infinity());
      ++rows.unread;
    }
    if (!options_.person.empty()) rows.people.emplace_back(reader.person());
    for (const std::size_t i : reader.missing_cells()) row[i] = std::numeric_limits<double>::quiet_NaN();
    rows.cells.insert(rows.cells.end(), row.begin(), row.end());
    ++rows.count;
  }
  return rows;
}

}  // namespace jme::service
