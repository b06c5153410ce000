#include "data/formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"
#include "data/file_name.hpp"
#include "data/text_rows.hpp"

namespace jme {

void data::check_options(InputFormat format, const InputOptions& options) {
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
  if (options.follow == InputOptions::Follow::no) return;
  if (format == InputFormat::npy)
    throw InvalidParameter("follow", "needs CSV or NDJSON: a .npy file does not grow");
  if (options.records == Records::quoted) {
    throw InvalidParameter("follow", "needs records that are lines: an open quote would wait for ever");
  }
}

InputFormat input_format(const std::string& path, const InputOptions& options) {
  if (options.format != InputFormat::automatic) return options.format;
  const std::string ending = data::extension(path);
  if (ending == ".ndjson" || ending == ".jsonl" || ending == ".json") return InputFormat::ndjson;
  return ending == ".npy" ? InputFormat::npy : InputFormat::csv;
}

std::unique_ptr<InputReader> open_input(const std::string& path, const InputOptions& options,
                                        std::size_t threads, std::size_t piece_bytes) {
  const InputFormat format = input_format(path, options);
  data::check_options(format, options);
  if (format == InputFormat::npy) return data::open_npy(path, options);
  // A short text is one piece, which takes no more memory than it needs.
  if (options.text) piece_bytes = std::min(piece_bytes, options.text->size() + 1);
  const data::PieceReader::Options pieces{
      .threads = threads, .piece_bytes = piece_bytes, .on_bad_row = options.on_bad_row};
  if (format == InputFormat::ndjson)
    return std::make_unique<data::TextRows>(data::open_ndjson(path, options), pieces);
  InputOptions csv = options;
  if (csv.delimiter == ',' && data::extension(path) == ".tsv") csv.delimiter = '\t';
  return std::make_unique<data::TextRows>(data::open_csv(path, csv), pieces);
}

}  // namespace jme
