#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/base/errors.hpp>
#include <jme/base/quoted_part.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/columns/clamp_counts.hpp>

#include "columns/bounds_kernels.hpp"
#include "columns/number.hpp"

namespace jme {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

InvalidParameter bounds_complaint(std::string_view what) {
  return {"bounds", what};
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  if (parse_number(text, value) != CellStatus::number) return std::nullopt;
  return value;
}

void check_range(std::string_view name, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high))
    throw bounds_complaint(fmt::format("LOW and HIGH of {} must be finite numbers", name));
  if (!(low < high)) throw bounds_complaint(fmt::format("{} needs LOW < HIGH", name));
  // Half a range below the smallest normal number would map the range to infinity, or lose its bits.
  if (high / 2 - low / 2 < std::numeric_limits<double>::min())
    throw bounds_complaint(fmt::format("the range of {} is too narrow", name));
}

/// Takes NAME=LOW:HIGH from the front of `text`, which keeps what follows its comma, or nothing.
ColumnRange take_entry(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view all = text;
  const std::optional<std::string> written = take_part(text, "=,");
  const std::string_view range = text.substr(0, text.find(','));
  const std::size_t colon = range.find(':');
  if (!written || !range.starts_with('=') || colon == std::string_view::npos ||
      range.find('=', 1) != std::string_view::npos)
    throw bounds_complaint(
        fmt::format("'{}' is not NAME=LOW:HIGH (a name with ',' or '=' in it is written in double quotes, as "
                    "in \"a,b\"=0:5, or its column is bounded by its number, as in 2=0:5)",
                    written ? all.substr(0, all.size() - text.size() + range.size()) : all));
  const std::string name(trimmed(*written));
  if (name.empty()) throw bounds_complaint(fmt::format("'{}' names no column", all.substr(0, all.find(','))));
  constexpr double unreadable = std::numeric_limits<double>::quiet_NaN();
  const double low = finite_number(range.substr(1, colon - 1)).value_or(unreadable);
  const double high = finite_number(range.substr(colon + 1)).value_or(unreadable);
  check_range(name, low, high);
  text.remove_prefix(range.size());
  return {name, low, high};
}

void check_new(const std::vector<ColumnRange>& entries, std::string_view name) {
  if (std::any_of(entries.begin(), entries.end(),
                  [&](const ColumnRange& entry) { return entry.name == name; }))
    throw bounds_complaint(fmt::format("column {} is bounded twice", name));
}

}  // namespace

std::vector<ColumnRange> parse_ranges(std::string_view text) {
  std::vector<ColumnRange> entries;
  for (;; text.remove_prefix(1)) {
    ColumnRange entry = take_entry(text);
    check_new(entries, entry.name);
    entries.push_back(std::move(entry));
    if (text.empty()) return entries;
  }
}

ColumnBounds ColumnBounds::parse(std::string_view text, const std::vector<std::string>& columns) {
  return made_of(parse_ranges(text), columns);
}

ColumnBounds ColumnBounds::of(const std::vector<std::string>& columns, std::span<const double> low,
                              std::span<const double> high) {
  if (low.size() != columns.size() || high.size() != columns.size())
    throw bounds_complaint(fmt::format("need one low and one high for each of {} columns", columns.size()));
  std::vector<ColumnRange> entries;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name(trimmed(columns[i]));
    if (name.empty()) throw bounds_complaint("a column has no name");
    check_range(name, low[i], high[i]);
    check_new(entries, name);
    entries.push_back({.name = name, .low = low[i], .high = high[i]});
  }
  return made_of(entries, columns);
}

ColumnBounds ColumnBounds::made_of(const std::vector<ColumnRange>& entries,
                                   const std::vector<std::string>& columns) {
  for (const ColumnRange& entry : entries)
    if (std::find(columns.begin(), columns.end(), entry.name) == columns.end())
      throw bounds_complaint(
          fmt::format("there is no column {} among those taken: {}", entry.name, fmt::join(columns, ", ")));

  ColumnBounds bounds;
  bounds.none_ = false;
  for (const std::string& column : columns) {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const ColumnRange& candidate) {
      return candidate.name == trimmed(column);
    });
    if (entry == entries.end())
      throw bounds_complaint(fmt::format("column {} has no bounds: every column needs them", column));
    // Products of two columns in natural units must stay finite.
    constexpr double largest = 1e140;
    if (std::abs(entry->low) > largest || std::abs(entry->high) > largest)
      throw bounds_complaint(fmt::format("column {} must lie between -1e140 and 1e140", column));
    bounds.centre_.push_back(entry->high / 2 + entry->low / 2);
    bounds.half_width_.push_back(entry->high / 2 - entry->low / 2);
    bounds.low_.push_back(entry->low);
    bounds.high_.push_back(entry->high);
    bounds.text_ += fmt::format("{}{}={}:{}", bounds.text_.empty() ? "" : ",", quoted_part(entry->name),
                                entry->low, entry->high);
  }
  return bounds;
}

ColumnBounds ColumnBounds::none(std::size_t dimension) {
  ColumnBounds bounds;
  bounds.centre_.assign(dimension, 0.0);
  bounds.half_width_.assign(dimension, 1.0);
  return bounds;
}

void ColumnBounds::to_unit(std::span<double> row) const {
  if (none_) return;
  if (row.size() != centre_.size())
    throw InvalidParameter("bounds",
                           fmt::format("are for {} columns, the row has {}", centre_.size(), row.size()));
  // Clamping after the map is the same as clamping before it, and holds however the map rounds.
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = std::clamp((row[i] - centre_[i]) / half_width_[i], -1.0, 1.0);
}

// Compared with the bounds as they were given: a value on a bound is not clamped, however the map rounds it.
void ColumnBounds::count_clamped(std::span<const double> row, ClampCounts& counts) const {
  if (none_) return;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double cell = row[i];
    counts.cells[i] += std::isnan(cell) ? 0 : 1;
    counts.below[i] += cell < low_[i] ? 1 : 0;
    counts.above[i] += cell > high_[i] ? 1 : 0;
  }
}

void ColumnBounds::rows_to_unit(std::span<double> rows, ClampCounts& counts) const {
  if (none_) return;
  const std::size_t d = low_.size();
  std::vector<double> below(d), above(d);
  map_and_count_rows({.centre = centre_, .half_width = half_width_, .low = low_, .high = high_}, rows, below,
                     above);
  for (std::size_t i = 0; i < d; ++i) {
    counts.cells[i] += rows.size() / d;
    counts.below[i] += static_cast<std::size_t>(below[i]);
    counts.above[i] += static_cast<std::size_t>(above[i]);
  }
}

std::vector<std::string> bounded_columns(std::string_view text) {
  std::vector<std::string> names;
  for (ColumnRange& entry : parse_ranges(text)) names.push_back(std::move(entry.name));
  return names;
}

}  // namespace jme
