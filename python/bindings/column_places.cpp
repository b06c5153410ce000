#include "bindings/column_places.hpp"

#include <algorithm>
#include <charconv>

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

std::size_t find_place(const std::string& column, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), column);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), column) != names.end()) {
      throw InvalidParameter("columns", fmt::format("the input has {} twice", column));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  const std::optional<std::size_t> number = place_of_number(column);
  if (number && *number < names.size()) return *number;
  throw InvalidParameter(
      "columns", fmt::format("the input has no column {}; it has {}", column, fmt::join(names, ", ")));
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
  std::vector<std::size_t> result;
  if (names) {
    for (const std::string& column : columns) result.push_back(find_place(column, *names));
    return result;
  }
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
