#include "bindings/column_places.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/base/errors.hpp>

namespace jme::python {

namespace {

/// The place of a column that is named by its number, from 1; none for other names.
std::optional<std::size_t> place_of_number(const std::string& name) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0) return std::nullopt;
  return number - 1;
}

std::optional<std::size_t> place_of_name(const std::string& column, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) return std::nullopt;
  if (std::find(found + 1, names.end(), column) != names.end()) {
    throw InvalidParameter("columns", fmt::format("the input has {} twice", column));
  }
  return static_cast<std::size_t>(found - names.begin());
}

/// The labels that pandas gives to columns without names: their numbers, from 0.
bool are_default_labels(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return !names.empty();
}

std::vector<std::size_t> places_of_names(const std::vector<std::string>& columns,
                                         const std::vector<std::string>& names) {
  const auto is_number = [](const std::string& column) { return place_of_number(column).has_value(); };
  const auto is_name = [&](const std::string& column) { return place_of_name(column, names).has_value(); };
  const bool have_no_names =
      are_default_labels(names) && std::all_of(columns.begin(), columns.end(), is_number);
  if (have_no_names && std::all_of(columns.begin(), columns.end(), is_name)) {
    throw InvalidParameter(
        "columns",
        fmt::format("the input's columns are numbered from 0 and the stream's from 1, so that {} may be a "
                    "name or a place; give the input's columns names, or push an array, which goes by place",
                    columns.front()));
  }
  // A number is a place only where it cannot be meant as a name.
  const bool may_be_places =
      have_no_names || std::none_of(columns.begin(), columns.end(), [&](const std::string& column) {
        return is_number(column) && is_name(column);
      });
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    std::optional<std::size_t> place;
    if (!have_no_names) place = place_of_name(column, names);
    if (!place && may_be_places) place = place_of_number(column);
    if (!place || *place >= names.size()) {
      throw InvalidParameter(
          "columns", fmt::format("the input has no column {}; it has {}", column, fmt::join(names, ", ")));
    }
    const auto same = std::find(places.begin(), places.end(), *place);
    if (same != places.end()) {
      throw InvalidParameter("columns", fmt::format("{} and {} would both be the input's column {}",
                                                    columns[static_cast<std::size_t>(same - places.begin())],
                                                    column, names[*place]));
    }
    places.push_back(*place);
  }
  return places;
}

}  // namespace

std::vector<std::string> numbered(std::size_t dimension) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

std::vector<std::size_t> column_places(const std::vector<std::string>& columns,
                                       const std::optional<std::vector<std::string>>& names,
                                       std::size_t width) {
  if (names) return places_of_names(columns, *names);
  std::vector<std::size_t> result;
  for (const std::string& column : columns) {
    const std::optional<std::size_t> number = place_of_number(column);
    if (!number) break;
    if (*number >= width) {
      throw InvalidParameter("columns", fmt::format("the input has no column {}; it has {}", column, width));
    }
    result.push_back(*number);
  }
  if (result.size() == columns.size()) return result;
  if (width != columns.size()) {
    throw DataError(fmt::format("rows of {} values were given, the dimension is {}", width, columns.size()));
  }
  result.clear();
  for (std::size_t i = 0; i < width; ++i) result.push_back(i);
  return result;
}

}  // namespace jme::python
