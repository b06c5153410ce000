#include "input_flags.hpp"

#include <cmath>

#include <jme/base/errors.hpp>

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

OnBadRow parse_on_bad_row(std::string_view text) {
  if (text == "fail") return OnBadRow::fail;
  if (text == "zero") return OnBadRow::zero;
  throw InvalidParameter("on-bad-row", text, "fail or zero");
}

char parse_delimiter(std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  const bool one = text.size() == 1;
  if (!one || text[0] == '"' || text[0] == '\n' || text[0] == '\r' ||
      static_cast<unsigned char>(text[0]) >= 0x80) {
    throw InvalidParameter("delimiter", text, "one character other than a quote or a line end, or tab");
  }
  return text[0];
}

}  // namespace

void InputFlags::attach(CLI::App& app) {
  const std::string group = "Input";
  add_text(app, "FILE", file, "", "CSV, NDJSON or .npy, also .gz and .xz; - (default) is standard input");
  add_text(app, "--format", format, "F",
           "csv, ndjson or npy (default: by the file's extension; stdin is csv)")
      ->group(group);
  add_text(app, "--compression", compression, "C",
           "none, gzip or xz (default: by the file's extension, .gz or .xz; stdin is plain)")
      ->group(group);
  add_text(app, "--columns", columns, "A,B,..",
           "Columns to use, in this order, by name or number (default: the bounded ones, else all of the "
           "header's; "
           "without a header they must be given here, by --bounds or, as 1 to D, by --dimension)")
      ->group(group);
  add_text(app, "--bounds", bounds, "A=LO:HI,..",
           "PUBLIC range of every column; values are clamped to it and results come back in these units")
      ->group(group);
  app.add_flag("--no-header", no_header, "The first CSV line is a row, not names; columns are 1, 2, ..")
      ->group(group);
  add_text(app, "--records", records, "R",
           "What a CSV record is: lines (default), one line whatever quotes it holds, safe where people "
           "control bytes; or quoted, cells with line breaks (RFC 4180), for files that a CSV writer made")
      ->group(group);
  add_text(app, "--delimiter", delimiter, "C", "Between CSV fields (default ,); tab for tabs")->group(group);
  add_text(app, "--on-bad-row", on_bad_row, "DO", "fail (default) or zero: count it as the zero row")
      ->group(group);
  add_text(
      app, "--missing", missing, "DO",
      "Missing cells become: centre (of the bounds), mean or model (what was released so far says of "
      "them, alone or given the row's other cells), PUBLIC values, such as mean,RAIN=0; or fail (default: "
      "the row is bad)")
      ->group(group);
}

InputFlags::Input InputFlags::input() const {
  Input result{.path = file.value_or("-"), .options = {}};
  if (result.path.empty()) throw InvalidParameter("file", "the name is empty; - is standard input");
  if (format) result.options.format = parse_format(*format);
  if (compression) result.options.compression = parse_compression(*compression);
  if (records) result.options.records = parse_records(*records);
  if (result.options.records == Records::quoted && result.records_name().empty()) {
    throw InvalidParameter("records", "quoted", "used with CSV");
  }
  if (delimiter) result.options.delimiter = parse_delimiter(*delimiter);
  if (on_bad_row) result.options.on_bad_row = parse_on_bad_row(*on_bad_row);
  result.options.header = !no_header;
  if (columns) {
    result.options.columns = parse_list("columns", *columns);
  } else if (bounds) {
    result.options.columns = bounded_columns(*bounds);
  }
  const std::vector<std::string>& names = result.options.columns;
  if (bounds) result.bounds = ColumnBounds::parse(*bounds, names);
  if (missing) result.missing = MissingRules::parse(*missing);
  if (!names.empty()) {
    static_cast<void>(result.missing.of(names, result.bounds.value_or(ColumnBounds::none(names.size()))));
  }
  return result;
}

StreamFlags::FromColumns InputFlags::Input::from_columns() const {
  StreamFlags::FromColumns known;
  if (!options.columns.empty()) known.dimension = options.columns.size();
  if (bounds) known.norm_bound = std::sqrt(static_cast<double>(options.columns.size()));
  return known;
}

bool InputFlags::Input::has_header() const {
  const InputFormat kind = input_format(path, options);
  return kind == InputFormat::npy || (kind == InputFormat::csv && options.header);
}

std::string InputFlags::Input::records_name() const {
  if (input_format(path, options) != InputFormat::csv) return "";
  return options.records == Records::quoted ? "quoted" : "lines";
}

bool InputFlags::Input::has_numbered_columns() const {
  const InputFormat kind = input_format(path, options);
  return kind == InputFormat::npy || (kind == InputFormat::csv && !options.header);
}

}  // namespace jme::cli
