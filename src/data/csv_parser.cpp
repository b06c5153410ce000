#include "data/csv_parser.hpp"

#include <utility>

#include <fmt/format.h>

#include "data/declared_columns.hpp"

namespace jme::data {
namespace {

static_assert(RecordSource::padding >= number_padding);

std::string_view without_blanks(std::string_view cell) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = cell.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(blanks) + 1 - first);
}

}  // namespace

CsvParser::CsvParser(CsvLayout layout, const InputOptions& options)
    : RecordParser(options),
      splitter_(options.delimiter),
      marks_(options.delimiter),
      delimiter_(options.delimiter),
      header_(layout.has_header),
      has_decimal_commas_(options.decimal == ','),
      trusts_quotes_(options.records == Records::quoted),
      width_(layout.width),
      person_(layout.person),
      selected_(std::move(layout.selected)),
      time_place_(layout.time_place) {
  columns_ = std::move(layout.columns);
  time_unit_ = options.time_unit;
  uses_.resize(width_);
  for (std::size_t i = 0; i < selected_.size(); ++i)
    uses_[selected_[i]] = {.kind = Use::Kind::number, .slot = i};
  if (person_) uses_[*person_].kind = Use::Kind::person;
  if (time_place_) uses_[*time_place_].kind = Use::Kind::time;
}

std::size_t CsvParser::take_plain(RecordSource& records, RowBatch& batch, std::size_t first,
                                  std::size_t last) {
  if (records.rest().empty()) return 0;
  marks_.go_to(records);
  const char *begin = records.rest().data(), *last_begin = begin, *last_feed = begin;
  std::size_t row = first;
  while (row < last) {
    const std::uint32_t* const marks = marks_.next(width_);
    if (marks == nullptr) break;
    const char* const feed = read_plain(begin, marks, records.longest(), batch, row);
    if (feed == nullptr) break;
    marks_.pass(width_);
    last_begin = begin;
    last_feed = feed;
    begin = feed + 1;
    ++row;
  }
  if (row > first) records.pass(row - first, last_begin, last_feed);
  return row - first;
}

// Reads the record that starts there, whose cells end at these marks if it is plain. Returns its line feed,
// or null where it is not plain or not good.
const char* CsvParser::read_plain(const char* begin, const std::uint32_t* marks, std::size_t longest,
                                  RowBatch& batch, std::size_t row) {
  const char* const feed = marks_.base() + marks[width_ - 1];
  if (*feed != '\n' || static_cast<std::size_t>(feed - begin) > longest) return nullptr;
  const char* const end = feed > begin && feed[-1] == '\r' ? feed - 1 : feed;
  if ((begin == end || *begin == ' ') && is_blank_record({begin, static_cast<std::size_t>(end - begin)}))
    return nullptr;
  if (!read_cells(begin, end, marks, batch.row(row))) return nullptr;
  if (time_place_) {
    const std::optional<Seconds> time = parse_time(without_blanks(time_cell_), time_unit_);
    if (!time) return nullptr;
    batch.set_time(row, *time);
  }
  if (person_) {
    const std::string_view id = without_blanks(person_ == time_place_ ? time_cell_ : person_cell_);
    if (!is_missing(id)) batch.set_person(row, id);
  }
  if (tells_records()) batch.set_record(row, {begin, static_cast<std::size_t>(end - begin)});
  return feed;
}

bool CsvParser::read_cells(const char* begin, const char* end, const std::uint32_t* marks,
                           std::span<double> row) {
  const char* const base = marks_.base();
  for (std::size_t place = 0; place < width_; ++place) {
    const bool is_last = place + 1 == width_;
    const char* const mark = is_last ? end : base + marks[place];
    if (!is_last && *mark != delimiter_) return false;
    const std::string_view cell(begin, static_cast<std::size_t>(mark - begin));
    const Use& use = uses_[place];
    begin = mark + 1;
    if (use.kind == Use::Kind::number) {
      double& number = row[use.slot];
      if (read_number(cell, number) == CellStatus::number) continue;
      if (!may_be_missing(use.slot) || !is_missing(cell)) return false;
      number = RowBatch::missing;
    } else if (use.kind == Use::Kind::person) {
      person_cell_ = cell;
    } else if (use.kind == Use::Kind::time) {
      time_cell_ = cell;
    }
  }
  return true;
}

RowStatus CsvParser::parse(std::string_view record, std::span<double> row) {
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
    const CellStatus status = read_number(cell, row[i]);
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

void CsvParser::find_person_of_broken(std::string_view beginning) {
  if (!person_) return;
  splitter_.split(beginning, width_);
  // The last cell may go on after these bytes.
  if (splitter_.count() < 2 || splitter_.cell(0).find('\0') != std::string_view::npos) return;
  find_person(false);
}

std::string CsvParser::width_rule() const {
  return header_ ? fmt::format("the header has {}", width_) : needed(width_);
}

RowStatus CsvParser::bad_width(std::string_view record) {
  RowProblem problem{.kind = RowProblem::Kind::width,
                     .found = splitter_.count(),
                     .expected = width_,
                     .is_declared = !header_};
  if (problem.found == 1) problem.setting = delimiter_that_cuts(record, delimiter_, width_, header_);
  return bad(problem);
}

// A point in such a file separates thousands, and 1.234 is not guessed to be one or the other.
CellStatus CsvParser::parse_with_comma(std::string_view cell, double& number) {
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
std::optional<Remedy> CsvParser::remedy_of_cell(std::string_view cell, CellStatus status) {
  double ignored = 0.0;
  if (status != CellStatus::text || has_decimal_commas_ || cell.find(',') == std::string_view::npos ||
      parse_with_comma(cell, ignored) != CellStatus::number)
    return std::nullopt;
  return decimal_comma;
}

// A delimiter or quote too many in a cell moves the cells after it. So a record that is not well formed has
// an id only where no other cell comes before it: what is in the others then cannot change whose it is.
void CsvParser::find_person(bool cells_are_in_place) {
  if (!person_) return;
  const bool is_well_formed =
      cells_are_in_place && !splitter_.has_open_quote() && !splitter_.has_stray_text();
  if (*person_ != 0 && !is_well_formed) return;
  if (splitter_.is_whole(*person_)) set_person(splitter_.unescaped(*person_));
}

// Cells on both sides of the id could open a quote before it and close it after it, and have another id
// beside that: 1,other,"  id  " instead of 1  id  2. The first cell cannot be moved, nor can the last one
// of a record that has its width and no open quote.
bool CsvParser::hides_person() const {
  const bool is_between = person_ && *person_ != 0 && *person_ + 1 != width_;
  return is_between && !trusts_quotes_ && splitter_.has_quoted_delimiter();
}

}  // namespace jme::data
