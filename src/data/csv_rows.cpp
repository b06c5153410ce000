#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"
#include "data/csv_splitter.hpp"
#include "data/declared_columns.hpp"
#include "data/formats.hpp"
#include "data/text_rows.hpp"

namespace jme::data {
namespace {

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

struct Delimiter {
  char character;
  std::string_view name;
};
constexpr std::array<Delimiter, 4> delimiters{{{',', ","}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}}};

/// Another delimiter that would cut a record, which is one cell now, into this many; none where none would.
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

/// The columns and their number come from the header or from the options, never from a row.
class CsvRows final : public TextRows {
 public:
  CsvRows(const std::string& path, const InputOptions& options)
      : TextRows(path, options),
        splitter_(options.delimiter),
        delimiter_(options.delimiter),
        header_(options.header),
        trusts_quotes_(options.records == Records::quoted) {
    check_decimal(options);
    time_unit_ = options.time_unit;
    has_decimal_commas_ = options.decimal == ',';
    if (header_)
      take_header(options);
    else
      take_declared(options);
    expect_rows();
  }

 protected:
  RowStatus parse(std::string_view record, std::span<double> row) override {
    splitter_.split(record, width_);
    const bool has_its_width = splitter_.count() == width_;
    find_person(has_its_width && !hides_person());
    if (splitter_.has_open_quote()) return bad({.kind = RowProblem::Kind::open_quote});
    if (splitter_.has_stray_text()) return bad({.kind = RowProblem::Kind::stray_quote});
    if (!has_its_width) return bad_width(record);
    if (hides_person()) return bad({.kind = RowProblem::Kind::quoted_delimiter});
    if (time_place_) {
      const std::string cell = splitter_.unescaped(*time_place_);
      time_ = parse_time(cell, time_unit_);
      double ignored = 0.0;
      if (!time_) return bad({.kind = RowProblem::Kind::time, .status = parse_number(cell, ignored)});
    }
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      const std::string_view cell = splitter_.cell(selected_[i]);
      const CellStatus status =
          has_decimal_commas_ ? parse_with_comma(cell, row[i]) : parse_number(cell, row[i]);
      if (status == CellStatus::number) continue;
      const bool missing = is_missing(cell);
      if (!forgive(i, missing, row))
        return bad({.kind = RowProblem::Kind::cell,
                    .column = i,
                    .status = status,
                    .is_missing = missing,
                    .setting = remedy_of_cell(cell, status)});
    }
    return RowStatus::good;
  }

  void find_person_of_broken(std::string_view beginning) override {
    if (!person_) return;
    splitter_.split(beginning, width_);
    // The last cell may go on after these bytes.
    if (splitter_.count() < 2 || splitter_.cell(0).find('\0') != std::string_view::npos) return;
    find_person(false);
  }

  [[nodiscard]] std::string width_rule() const override {
    return header_ ? fmt::format("the header has {}", width_) : needed(width_);
  }

 private:
  RowStatus bad_width(std::string_view record) {
    RowProblem problem{.kind = RowProblem::Kind::width,
                       .found = splitter_.count(),
                       .expected = width_,
                       .is_declared = !header_};
    if (problem.found == 1) problem.setting = delimiter_that_cuts(record, delimiter_, width_, header_);
    return bad(problem);
  }

  // A point in such a file separates thousands, and 1.234 is not guessed to be one or the other.
  CellStatus parse_with_comma(std::string_view cell, double& number) {
    const std::size_t comma = cell.find(',');
    if (comma == std::string_view::npos) {
      return cell.find('.') == std::string_view::npos ? parse_number(cell, number) : CellStatus::text;
    }
    if (cell.find('.') != std::string_view::npos) return CellStatus::text;
    with_point_.assign(cell);
    with_point_[comma] = '.';
    return parse_number(with_point_, number);
  }

  // A cell that would be a number with a decimal comma.
  std::optional<Remedy> remedy_of_cell(std::string_view cell, CellStatus status) {
    double ignored = 0.0;
    if (status != CellStatus::text || has_decimal_commas_ || cell.find(',') == std::string_view::npos ||
        parse_with_comma(cell, ignored) != CellStatus::number)
      return std::nullopt;
    return decimal_comma;
  }

  // A delimiter or quote too many in a cell moves the cells after it. So a record that is not well formed has
  // an id only where no other cell comes before it: what is in the others then cannot change whose it is.
  void find_person(bool cells_are_in_place) {
    if (!person_) return;
    const bool is_well_formed =
        cells_are_in_place && !splitter_.has_open_quote() && !splitter_.has_stray_text();
    if (*person_ != 0 && !is_well_formed) return;
    if (splitter_.is_whole(*person_)) set_person(splitter_.unescaped(*person_));
  }

  // Cells on both sides of the id could open a quote before it and close it after it, and have another id
  // beside that: 1,other,"  id  " instead of 1  id  2. The first cell cannot be moved, nor can the last one
  // of a record that has its width and no open quote.
  [[nodiscard]] bool hides_person() const {
    const bool is_between = person_ && *person_ != 0 && *person_ + 1 != width_;
    return is_between && !trusts_quotes_ && splitter_.has_quoted_delimiter();
  }

  void take_header(const InputOptions& options) {
    const std::string_view header = read_header();
    const std::string place = current_place();
    const std::vector<std::string> names = header_names(header, options.columns, place);
    width_ = names.size();
    selected_ = select_columns(names, options.columns, place);
    if (!options.person.empty()) {
      person_ = select_columns(names, {options.person}, place, "person").front();
      set_apart(*person_, !options.columns.empty(), selected_);
    }
    if (options.time) {
      time_place_ = select_time(names, options.columns, *options.time, place);
      std::erase(selected_, *time_place_);
    }
    for (const std::size_t index : selected_) columns_.push_back(names[index]);
    refuse_numbers_as_names(options.columns, place);
  }

  void take_declared(const InputOptions& options) {
    DeclaredColumns declared = declared_columns(options);
    if (declared.places.empty() && !options.person.empty() && !column_number(options.person, most_columns))
      throw InvalidParameter("person", "must be the number of a column: without a header they have no names");
    if (declared.places.empty())
      throw InvalidParameter(
          "columns", fmt::format("must be numbers from 1 to {}: without a header columns have no names",
                                 options.width.value_or(most_columns)));
    columns_ = std::move(declared.names);
    selected_ = std::move(declared.places);
    width_ = declared.width;
    person_ = declared.person;
    time_place_ = declared.time_place;
    if (options.time && !time_place_)
      throw InvalidParameter("time", *options.time, "a number: without a header columns have no names");
  }

  // A header that another delimiter would cut. A single column may have any name if somebody asks for it.
  void check_delimiter_of(std::string_view header, const std::vector<std::string>& names_asked,
                          const std::string& place) const {
    const bool is_quoted_name = header.starts_with('"') && !splitter_.has_stray_text();
    if (splitter_.count() != 1 || is_quoted_name) return;
    const std::string name = splitter_.unescaped(0);
    if (std::find(names_asked.begin(), names_asked.end(), name) != names_asked.end()) return;
    if (const std::optional<Remedy> other = delimiter_that_cuts(header, delimiter_, 2, false)) {
      throw DataError(
          fmt::format("{}: the header is one name for this delimiter: if its columns are divided by "
                      "another one, use {}",
                      place, other->words()),
          *other);
    }
  }

  std::vector<std::string> header_names(std::string_view header, const std::vector<std::string>& names_asked,
                                        const std::string& place) {
    refuse_other_formats(header, place);
    // Else the whole file would be names.
    if (header.find('\r') != std::string_view::npos) {
      throw DataError(fmt::format(
          "{}: the header has a carriage return inside: lines must end with a line feed, or with both",
          place));
    }
    splitter_.split(header, most_columns);
    if (splitter_.has_open_quote()) {
      throw DataError(
          fmt::format("{}: the header opens a quote that its line does not close: names with line "
                      "breaks need {}",
                      place, quoted_records.words()),
          quoted_records);
    }
    check_delimiter_of(header, names_asked, place);
    if (splitter_.has_stray_text())
      throw DataError(fmt::format("{}: the header has text after a closing quote", place));
    if (splitter_.count() > most_columns)
      throw DataError(fmt::format("{}: has more than {} columns", place, most_columns));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < splitter_.count(); ++i)
      names.push_back(presentable_name(splitter_.unescaped(i), place));
    return names;
  }

  // A first row mistaken for a header would be lost, and its cells published as names. A number is accepted
  // as a name only where the user wrote exactly that name.
  void refuse_numbers_as_names(const std::vector<std::string>& asked, const std::string& place) const {
    double ignored = 0.0;
    const Remedy no_header{.field = "no_header"};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_number = parse_number(columns_[i], ignored) == CellStatus::number;
      if (is_number && (i >= asked.size() || asked[i] != columns_[i]))
        throw DataError(
            fmt::format("{}: the header has a number for a name: if the file has no header, use {}", place,
                        no_header.words()),
            no_header);
    }
  }

  CsvSplitter splitter_;
  char delimiter_;
  bool header_, has_decimal_commas_ = false;
  bool trusts_quotes_;
  std::string with_point_;
  std::size_t width_ = 0;              // cells of a record, exactly
  std::optional<std::size_t> person_;  // place of the id
  std::vector<std::size_t> selected_;  // places of columns_ in the file
  std::optional<std::size_t> time_place_;
};

}  // namespace

std::unique_ptr<RowSource> open_csv(const std::string& path, const InputOptions& options) {
  check_delimiter(options.delimiter);
  return std::make_unique<CsvRows>(path, options);
}

}  // namespace jme::data
