#include "data/csv_layout.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "columns/number.hpp"
#include "data/columns.hpp"
#include "data/csv_splitter.hpp"
#include "data/declared_columns.hpp"
#include "data/row_problem.hpp"

namespace jme::data {
namespace {

struct Delimiter {
  char character;
  std::string_view name;
};
constexpr std::array<Delimiter, 4> delimiters{{{',', ","}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}}};

// What the first bytes of a file say that is not CSV.
void refuse_other_formats(std::string_view header, const std::string& place) {
  const auto refuse = [&](std::string_view what, const Remedy& remedy) {
    throw DataError(fmt::format("{}: the header looks like {}: use {}", place, what, remedy.words()), remedy);
  };
  if (header.starts_with('{') || header.starts_with('[')) refuse("JSON", {"format", "ndjson"});
  if (header.starts_with("\x1f\x8b")) refuse("gzip data", {"compression", "gzip"});
  if (header.starts_with("\xfd"
                         "7zXZ"))
    refuse("xz data", {"compression", "xz"});
}

// A header that another delimiter would cut. A single column may have any name if somebody asks for it.
void check_delimiter_of(std::string_view header, const CsvSplitter& splitter, const InputOptions& options,
                        const std::string& place) {
  const bool is_quoted_name = header.starts_with('"') && !splitter.has_stray_text();
  if (splitter.count() != 1 || is_quoted_name) return;
  const std::string name = splitter.unescaped(0);
  if (std::find(options.columns.begin(), options.columns.end(), name) != options.columns.end()) return;
  if (const std::optional<Remedy> other = delimiter_that_cuts(header, options.delimiter, 2, false)) {
    throw DataError(
        fmt::format("{}: the header is one name for this delimiter: if its columns are divided by "
                    "another one, use {}",
                    place, other->words()),
        *other);
  }
}

std::vector<std::string> header_names(std::string_view header, const InputOptions& options,
                                      const std::string& place) {
  CsvSplitter splitter(options.delimiter);
  refuse_other_formats(header, place);
  // Else the whole file would be names.
  if (header.find('\r') != std::string_view::npos) {
    throw DataError(fmt::format(
        "{}: the header has a carriage return inside: lines must end with a line feed, or with both", place));
  }
  splitter.split(header, most_columns);
  if (splitter.has_open_quote()) {
    throw DataError(fmt::format("{}: the header opens a quote that its line does not close: names with line "
                                "breaks need {}",
                                place, quoted_records.words()),
                    quoted_records);
  }
  check_delimiter_of(header, splitter, options, place);
  if (splitter.has_stray_text())
    throw DataError(fmt::format("{}: the header has text after a closing quote", place));
  if (splitter.count() > most_columns)
    throw DataError(fmt::format("{}: has more than {} columns", place, most_columns));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < splitter.count(); ++i)
    names.push_back(presentable_name(splitter.unescaped(i), place));
  return names;
}

// A first row mistaken for a header would be lost, and its cells published as names. A number is accepted
// as a name only where the user wrote exactly that name.
void refuse_numbers_as_names(const std::vector<std::string>& names, const std::vector<std::string>& asked,
                             const std::string& place) {
  double ignored = 0.0;
  const Remedy no_header{.field = "no_header"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_number = parse_number(names[i], ignored) == CellStatus::number;
    if (is_number && (i >= asked.size() || asked[i] != names[i]))
      throw DataError(fmt::format("{}: the header has a number for a name: if the file has no header, use {}",
                                  place, no_header.words()),
                      no_header);
  }
}

}  // namespace

void check_delimiter(char delimiter) {
  constexpr std::string_view in_numbers = "0123456789+-.eE";
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r' || delimiter == '\0')
    throw InvalidParameter("delimiter", "must not be a quote, a line break or NUL");
  if (in_numbers.find(delimiter) != std::string_view::npos)
    throw InvalidParameter("delimiter", "must not be a character that numbers contain");
}

void check_decimal(const InputOptions& options) {
  if (options.decimal == ',' && options.delimiter == ',' && !options.header) {
    throw InvalidParameter("decimal",
                           "comma: needs another delimiter without a header: 1,5 would be two cells, and "
                           "nothing would say so");
  }
}

std::optional<Remedy> delimiter_that_cuts(std::string_view record, char delimiter, std::size_t cells,
                                          bool exactly) {
  for (const Delimiter& other : delimiters) {
    if (other.character == delimiter) continue;
    const auto found =
        static_cast<std::size_t>(std::count(record.begin(), record.end(), other.character)) + 1;
    if (found > 1 && (exactly ? found == cells : found >= cells)) {
      return Remedy{.field = "delimiter", .value = std::string(other.name)};
    }
  }
  return std::nullopt;
}

CsvLayout csv_layout(std::string_view header, const InputOptions& options, const std::string& place) {
  const std::vector<std::string> names = header_names(header, options, place);
  CsvLayout layout{.has_header = true, .width = names.size()};
  layout.selected = select_columns(names, options.columns, place);
  if (!options.person.empty()) {
    layout.person = select_columns(names, {options.person}, place, "person").front();
    set_apart(*layout.person, !options.columns.empty(), layout.selected);
  }
  if (options.time) {
    layout.time_place = select_time(names, options.columns, *options.time, place);
    std::erase(layout.selected, *layout.time_place);
  }
  for (const std::size_t index : layout.selected) layout.columns.push_back(names[index]);
  refuse_numbers_as_names(layout.columns, options.columns, place);
  return layout;
}

CsvLayout declared_csv_layout(const InputOptions& options) {
  DeclaredColumns declared = declared_columns(options);
  if (declared.places.empty() && !options.person.empty() && !column_number(options.person, most_columns))
    throw InvalidParameter("person", "must be the number of a column: without a header they have no names");
  if (declared.places.empty())
    throw InvalidParameter("columns",
                           fmt::format("must be numbers from 1 to {}: without a header columns have no names",
                                       options.width.value_or(most_columns)));
  if (options.time && !declared.time_place)
    throw InvalidParameter("time", *options.time, "a number: without a header columns have no names");
  return {.width = declared.width,
          .columns = std::move(declared.names),
          .selected = std::move(declared.places),
          .person = declared.person,
          .time_place = declared.time_place};
}

}  // namespace jme::data
