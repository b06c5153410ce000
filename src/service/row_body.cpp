#include "service/row_body.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/columns/clamp_counts.hpp>
#include <jme/pipeline/configure.hpp>

namespace jme::service {

namespace {

Records records_of(const RunSettings& settings) {
  const auto& text = settings["records"];
  if (!text || *text == "lines") return Records::lines;
  if (*text == "quoted") return Records::quoted;
  throw InvalidParameter("records", *text, "lines or quoted");
}

std::vector<ClampedCells> clamped_cells(const ClampCounts& counts) {
  std::vector<ClampedCells> result;
  for (std::size_t i = 0; i < counts.cells.size(); ++i) {
    if (counts.below[i] + counts.above[i] == 0) continue;
    result.push_back(
        {.column = i, .cells = counts.cells[i], .low = counts.below[i], .high = counts.above[i]});
  }
  return result;
}

}  // namespace

RowBody::RowBody(const RunSettings& settings, const PreparedRun& run, const RowLimits& limits)
    : columns_(run.columns()),
      rules_(run.missing().rules()),
      bounds_(run.bounds()),
      most_bytes_(limits.most_bytes) {
  options_.format = InputFormat::csv;
  options_.compression = Compression::none;
  options_.records = records_of(settings);
  options_.header = !settings.is_on("no_header");
  if (const auto& delimiter = settings["delimiter"]) options_.delimiter = parse_delimiter(*delimiter);
  if (const auto& decimal = settings["decimal"]) options_.decimal = parse_decimal(*decimal);
  options_.on_bad_row = settings["on_bad_row"] ? parse_on_bad_row(*settings["on_bad_row"]) : OnBadRow::zero;
  options_.longest_record = limits.longest_record;
  options_.person = settings["person"].value_or("");
  width_ = record_width(settings);
}

ReadRows RowBody::read(WriteRequest::Content content, std::string_view body) const {
  InputOptions options = options_;
  options.text = body;
  options.columns = columns_;
  if (content == WriteRequest::Content::ndjson) {
    options.format = InputFormat::ndjson;
    options.records = Records::lines;
    options.width = width_;
    options.decimal = '.';
  } else if (!options.header) {
    options.columns.clear();
    options.width = columns_.size();
  }
  try {
    return rows_of(options);
  } catch (const InvalidParameter&) {
    // The settings are those of the stream: it is the header that does not fit. Where one was forgotten, its
    // names would be values of the first row, so they are not shown.
    throw DataError(fmt::format("the body must begin with a header that has the columns {}{}",
                                fmt::join(columns_, ", "),
                                options_.person.empty() ? "" : ", " + options_.person));
  }
}

ReadRows RowBody::rows_of(const InputOptions& options) const {
  const auto reader = open_input("body", options);
  reader->begin({.missing = rules_});
  const std::size_t d = columns_.size();
  const std::size_t bytes_of_row =
      d * sizeof(double) + (options_.person.empty() ? 0 : sizeof(std::optional<std::string>));
  ReadRows read{.rows = RowBatch(d)};
  ClampCounts clamped(d);
  for (RowBatch batch; reader->next(batch);) {
    read.memory += batch.rows() * bytes_of_row;
    if (read.memory > most_bytes_) {
      throw TooManyRows(
          fmt::format("the rows of this body would take more than {} bytes of memory: send fewer at a time",
                      most_bytes_));
    }
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      if (batch.is_bad(i)) {
        ++read.unread;
      } else {
        bounds_.count_clamped(batch.row(i), clamped);
      }
    }
    read.rows.append(batch, 0, batch.rows());
  }
  read.clamped = clamped_cells(clamped);
  return read;
}

}  // namespace jme::service
