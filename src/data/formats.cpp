#include "data/formats.hpp"

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"
#include "data/file_name.hpp"

namespace jme::data {
namespace {

void check_options(InputFormat format, const InputOptions& options) {
  // Cells keep 32-bit places.
  if (options.longest_record < 1 || options.longest_record > std::size_t{1} << 30)
    throw InvalidParameter("longest-record", "must be between 1 byte and 1 GiB");
  if (options.width > most_columns)
    throw InvalidParameter("width", fmt::format("must be at most {}", most_columns));
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

}  // namespace

std::unique_ptr<RowSource> open_rows(const std::string& path, const InputOptions& options) {
  const InputFormat format = input_format(path, options);
  check_options(format, options);
  if (format == InputFormat::ndjson) return open_ndjson(path, options);
  if (format == InputFormat::npy) return open_npy(path, options);
  InputOptions csv = options;
  if (csv.delimiter == ',' && extension(path) == ".tsv") csv.delimiter = '\t';
  return open_csv(path, csv);
}

}  // namespace jme::data
