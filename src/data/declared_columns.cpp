#include "data/declared_columns.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "columns/number.hpp"
#include "data/columns.hpp"

namespace jme::data {
namespace {

template <class Name>
void refuse_repeated(const std::vector<Name>& taken, const std::vector<std::string>& names) {
  std::unordered_set<Name> seen;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!seen.insert(taken[i]).second)
      throw InvalidParameter("columns", fmt::format("column {} is chosen twice", names[i]));
}

void check_person(const InputOptions& options) {
  if (options.columns.empty())
    throw InvalidParameter("columns", "must be given (or bounds) with person where the input has no header");
  if (std::find(options.columns.begin(), options.columns.end(), options.person) != options.columns.end())
    throw InvalidParameter("person", "is one of the columns too: whose record it is is no value to publish");
}

void check_time(const InputOptions& options) {
  if (options.columns.empty()) {
    throw InvalidParameter("columns", "must be given (or bounds) with time where the input has no header");
  }
  if (std::find(options.columns.begin(), options.columns.end(), *options.time) != options.columns.end()) {
    throw InvalidParameter("time", *options.time,
                           "a column that is not one of the columns whose moments are taken");
  }
}

/// The place of a column that is named by its number; none where it has another name.
std::optional<std::size_t> declared_place(const std::string& name, std::string_view field,
                                          const InputOptions& options) {
  const auto place = column_number(name, most_columns);
  if (place && *place >= options.width.value_or(most_columns)) {
    throw InvalidParameter(
        field, fmt::format("{} from 1 to {}, which is the width of a record",
                           field == "columns" ? "must be numbers" : "must be a number", *options.width));
  }
  return place;
}

}  // namespace

std::string needed(std::size_t cells) {
  return cells == 1 ? "1 is needed" : fmt::format("{} are needed", cells);
}

DeclaredColumns declared_columns(const InputOptions& options) {
  DeclaredColumns declared{.names = options.columns, .places = {}};
  if (!options.person.empty()) check_person(options);
  if (declared.names.empty()) declared.names = numbered_columns(options.width.value_or(0));
  if (declared.names.empty())
    throw InvalidParameter("columns",
                           "must be given (or bounds, or dimension) where the input has no header: no row "
                           "decides which columns there are");
  refuse_repeated(declared.names, declared.names);
  if (options.time) check_time(options);
  for (const std::string& name : declared.names) {
    const auto place = declared_place(name, "columns", options);
    if (!place) {
      declared.places.clear();
      return declared;
    }
    declared.places.push_back(*place);
  }
  refuse_repeated(declared.places, declared.names);
  std::size_t last = *std::max_element(declared.places.begin(), declared.places.end());
  if (!options.person.empty()) {
    declared.person = declared_place(options.person, "person", options);
    if (!declared.person) {
      declared.places.clear();
      return declared;
    }
    set_apart(*declared.person, true, declared.places);
    last = std::max(last, *declared.person);
  }
  if (options.time) declared.time_place = declared_place(*options.time, "time", options);
  last = std::max(last, declared.time_place.value_or(last));
  declared.width = options.width.value_or(last + 1);
  return declared;
}

}  // namespace jme::data
