#include "input.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

InputFormat parse_format(std::string_view text) {
  if (text == "auto") return InputFormat::automatic;
  if (text == "csv") return InputFormat::csv;
  if (text == "ndjson") return InputFormat::ndjson;
  if (text == "npy") return InputFormat::npy;
  throw InvalidParameter("format", text, "csv, ndjson or npy");
}

Compression parse_compression(std::string_view text) {
  if (text == "auto") return Compression::automatic;
  if (text == "none") return Compression::none;
  if (text == "gzip") return Compression::gzip;
  if (text == "xz") return Compression::xz;
  throw InvalidParameter("compression", text, "none, gzip or xz");
}

Records parse_records(std::string_view text) {
  if (text == "lines") return Records::lines;
  if (text == "quoted") return Records::quoted;
  throw InvalidParameter("records", text, "lines or quoted");
}

}  // namespace

Input read_input(const Text& file, const RunSettings& settings) {
  const Text &format = settings["format"], &compression = settings["compression"],
             &records = settings["records"], &delimiter = settings["delimiter"];
  Input result{.path = file.value_or("-"), .options = {}};
  if (result.path.empty()) throw InvalidParameter("file", "the name is empty; - is standard input");
  if (format) result.options.format = parse_format(*format);
  if (compression) result.options.compression = parse_compression(*compression);
  if (records) result.options.records = parse_records(*records);
  if (result.options.records == Records::quoted && result.records_name().empty()) {
    throw InvalidParameter("records", "quoted", "used with CSV");
  }
  if (delimiter) result.options.delimiter = parse_delimiter(*delimiter);
  if (const Text& decimal = settings["decimal"]) result.options.decimal = parse_decimal(*decimal);
  result.options.header = !settings.is_on("no_header");
  result.options.width = record_width(settings);
  return result;
}

std::size_t reading_threads(std::optional<unsigned> asked) {
  return std::max(asked.value_or(std::thread::hardware_concurrency()), 1U);
}

void tell_terminal(const Input& input) {
  if (input.path != "-" || ::isatty(STDIN_FILENO) != 1) return;
  print_note(fmt::format("rows are read from the terminal{}: end with Ctrl-D on a line of its own",
                         input.has_header() ? ", the line of names first" : ""));
}

bool Input::has_header() const {
  const InputFormat kind = input_format(path, options);
  return kind == InputFormat::npy || (kind == InputFormat::csv && options.header);
}

std::string Input::records_name() const {
  if (input_format(path, options) != InputFormat::csv) return "";
  return options.records == Records::quoted ? "quoted" : "lines";
}

bool Input::has_numbered_columns() const {
  const InputFormat kind = input_format(path, options);
  return kind == InputFormat::npy || (kind == InputFormat::csv && !options.header);
}

}  // namespace jme::cli
