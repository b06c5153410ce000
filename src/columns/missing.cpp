#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/base/errors.hpp>
#include <jme/base/quoted_part.hpp>
#include <jme/columns/missing.hpp>

#include "columns/number.hpp"

namespace jme {
namespace {

InvalidParameter missing_complaint(std::string_view what) {
  return {"missing", what};
}

}  // namespace

MissingCells::MissingCells(std::size_t dimension)
    : rules_(dimension, OnMissing::bad_row), from_(dimension, From::value), values_(dimension, 0.0) {}

bool MissingCells::uses(From from) const {
  return std::find(from_.begin(), from_.end(), from) != from_.end();
}

MissingRules MissingRules::parse(std::string_view text) {
  MissingRules rules;
  rules.text_ = text;
  bool has_rest = false;
  for (;;) {
    const std::string_view all = text;
    const std::optional<std::string> name = take_part(text, "=,");
    if (!name) throw InvalidParameter("missing", all, "COLUMN=VALUE, with the quotes of a column closed");
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = all.substr(0, all.size() - text.size() + comma);
    if (!text.starts_with('=')) {
      if (has_rest) throw missing_complaint("says twice what columns not named become");
      has_rest = true;
      if (part == "centre" || part == "center") {
        rules.rest_ = Rest::centre;
      } else if (part == "mean") {
        rules.rest_ = Rest::mean;
      } else if (part == "model") {
        rules.rest_ = Rest::model;
      } else if (part == "observed") {
        rules.rest_ = Rest::observed;
      } else if (part == "fail") {
        rules.rest_ = Rest::fail;
      } else {
        throw InvalidParameter("missing", part, "centre, mean, model, observed, fail or COLUMN=VALUE");
      }
    } else {
      Value value{.column = *name, .value = 0};
      if (value.column.empty()) throw missing_complaint(fmt::format("'{}' names no column", part));
      if (parse_number(text.substr(1, comma - 1), value.value) != CellStatus::number)
        throw missing_complaint(fmt::format("the value of {} must be a finite number", value.column));
      const auto same = [&](const Value& other) { return other.column == value.column; };
      if (std::any_of(rules.values_.begin(), rules.values_.end(), same))
        throw missing_complaint(fmt::format("column {} is filled twice", value.column));
      rules.values_.push_back(std::move(value));
    }
    if (comma == text.size()) return rules;
    text.remove_prefix(comma + 1);
  }
}

MissingCells MissingRules::of(const std::vector<std::string>& columns, const ColumnBounds& bounds) const {
  MissingCells cells(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (rest_ == Rest::bad_row) break;
    cells.rules_[i] = rest_ == Rest::fail ? OnMissing::fail : OnMissing::fill;
    if (rest_ == Rest::mean) cells.from_[i] = MissingCells::From::mean;
    if (rest_ == Rest::model) cells.from_[i] = MissingCells::From::model;
    if (rest_ == Rest::observed) cells.from_[i] = MissingCells::From::nowhere;
  }
  for (const Value& value : values_) {
    const auto found = std::find(columns.begin(), columns.end(), value.column);
    if (found == columns.end())
      throw missing_complaint(
          fmt::format("there is no column {} among those taken: {}", value.column, fmt::join(columns, ", ")));
    const auto i = static_cast<std::size_t>(found - columns.begin());
    const double unit = (value.value - bounds.centre()[i]) / bounds.half_width()[i];
    // For a value on the edge, the map may round past it.
    constexpr double edge = 1 + 1e-12;
    if (!bounds.is_none() && !(unit >= -edge && unit <= edge))
      throw missing_complaint(fmt::format("the value of {} must lie inside its bounds", value.column));
    cells.rules_[i] = OnMissing::fill;
    cells.from_[i] = MissingCells::From::value;
    cells.values_[i] = bounds.is_none() ? unit : std::clamp(unit, -1.0, 1.0);
  }
  return cells;
}

}  // namespace jme
