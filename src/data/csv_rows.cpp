#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"
#include "data/csv_splitter.hpp"
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

class CsvRows final : public TextRows {
 public:
  CsvRows(const std::string& path, const InputOptions& options)
      : TextRows(path, options),
        splitter_(options.delimiter, options.on_bad_row == OnBadRow::zero),
        header_(options.header) {
    check_delimiter(options.delimiter);
    if (!hold_next_line()) refuse_empty();
    splitter_.split(lines_, most_columns);
    width_ = splitter_.count();
    const std::string place = current_place();
    if (width_ > most_columns)
      throw DataError(fmt::format("{}: has more than {} columns", place, most_columns));
    const std::vector<std::string> names = header_ ? header_names(place) : numbered_columns(width_);
    selected_ = select_columns(names, options.columns, place);
    for (const std::size_t index : selected_) columns_.push_back(names[index]);
    if (header_) refuse_numbers_as_names(options.columns, place);
    if (header_ && !hold_next_line()) refuse_empty();
  }

 protected:
  RowStatus parse(std::span<double> row) override {
    splitter_.split(lines_, width_);
    if (splitter_.has_stray_text()) return bad({.kind = RowProblem::Kind::stray_quote});
    if (splitter_.count() != width_)
      return bad({.kind = RowProblem::Kind::width, .found = splitter_.count(), .expected = width_});
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

  [[nodiscard]] std::string_view width_from() const override {
    return header_ ? "the header" : "the first line";
  }

 private:
  std::vector<std::string> header_names(const std::string& place) const {
    const std::string_view text = lines_.text();
    if (text.front() == '{' || text.front() == '[')
      throw DataError(fmt::format("{}: the header looks like JSON: use --format ndjson", place));
    if (splitter_.has_stray_text())
      throw DataError(fmt::format("{}: the header has text after a closing quote", place));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < width_; ++i) names.push_back(presentable_name(splitter_.unescaped(i), place));
    return names;
  }

  // A first row mistaken for a header would be lost, and its cells published as names. A number is a name
  // only where the user wrote that very name.
  void refuse_numbers_as_names(const std::vector<std::string>& asked, const std::string& place) const {
    double ignored = 0.0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_number = parse_number(columns_[i], ignored) == CellStatus::number;
      if (is_number && (i >= asked.size() || asked[i] != columns_[i]))
        throw DataError(fmt::format(
            "{}: the header has a number for a name: if the file has no header, use --no-header", place));
    }
  }

  CsvSplitter splitter_;
  bool header_;
  std::size_t width_ = 0;
  std::vector<std::size_t> selected_;  // places of columns_ in the file
};

}  // namespace

std::unique_ptr<RowSource> open_csv(const std::string& path, const InputOptions& options) {
  return std::make_unique<CsvRows>(path, options);
}

}  // namespace jme::data
