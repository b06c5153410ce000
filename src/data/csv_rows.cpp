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
        header_(options.header),
        trusts_quotes_(options.records == Records::quoted) {
    time_unit_ = options.time_unit;
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
    if (!has_its_width) {
      return bad({.kind = RowProblem::Kind::width,
                  .found = splitter_.count(),
                  .expected = width_,
                  .is_declared = !header_});
    }
    if (hides_person()) return bad({.kind = RowProblem::Kind::quoted_delimiter});
    if (time_place_) {
      const std::string cell = splitter_.unescaped(*time_place_);
      time_ = parse_time(cell, time_unit_);
      double ignored = 0.0;
      if (!time_) return bad({.kind = RowProblem::Kind::time, .status = parse_number(cell, ignored)});
    }
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      const std::string_view cell = splitter_.cell(selected_[i]);
      const CellStatus status = parse_number(cell, row[i]);
      if (status == CellStatus::number) continue;
      const bool missing = is_missing(cell);
      if (!forgive(i, missing, row))
        return bad({.kind = RowProblem::Kind::cell, .column = i, .status = status, .is_missing = missing});
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
    const std::vector<std::string> names = header_names(header, place);
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

  std::vector<std::string> header_names(std::string_view header, const std::string& place) {
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
  bool header_;
  bool trusts_quotes_;
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
