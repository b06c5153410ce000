#include "data/columns.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <jme/base/errors.hpp>

#include "columns/number.hpp"

namespace jme::data {
namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
constexpr std::size_t ambiguous = static_cast<std::size_t>(-2);

// Where names are numbers a first row may have been mistaken for a header: it is data and is not shown.
std::string available_names(const std::vector<std::string>& available) {
  constexpr std::size_t most_shown = 100;
  std::vector<std::string_view> shown;
  double ignored = 0.0;
  for (const std::string& name : available) {
    const CellStatus status = parse_number(name, ignored);
    if (status == CellStatus::number) {
      return fmt::format("some of the {} columns have a number for a name, as in a file without a header",
                         available.size());
    }
    if (shown.size() < most_shown && status == CellStatus::text) shown.push_back(name);
  }
  if (shown.empty()) return fmt::format("there are {} columns without a name", available.size());
  if (shown.size() == available.size()) return fmt::format("there are {}", fmt::join(shown, ", "));
  return fmt::format("among the {} columns are {}", available.size(), fmt::join(shown, ", "));
}

}  // namespace

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(i + 1);
  return names;
}

std::vector<std::size_t> select_columns(const std::vector<std::string>& available,
                                        const std::vector<std::string>& requested, std::string_view place,
                                        std::string_view field) {
  std::vector<std::size_t> selected;
  if (requested.empty()) {
    selected.resize(available.size());
    std::iota(selected.begin(), selected.end(), std::size_t{0});
  } else {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < available.size(); ++i)
      if (const auto [entry, is_new] = places.emplace(available[i], i); !is_new) entry->second = ambiguous;
    std::unordered_set<std::size_t> taken;
    for (const std::string& name : requested) {
      const auto found = places.find(name);
      const std::size_t index =
          found != places.end() ? found->second : column_number(name, available.size()).value_or(nowhere);
      if (index == nowhere)
        throw InvalidParameter(field,
                               fmt::format("there is no column {}: {}", name, available_names(available)));
      if (index == ambiguous)
        throw DataError(fmt::format("{}: two columns are named {}: choose one by its number", place, name));
      if (!taken.insert(index).second)
        throw InvalidParameter("columns", fmt::format("column {} is chosen twice", name));
      selected.push_back(index);
    }
  }
  std::unordered_set<std::string_view> names;
  double ignored = 0.0;
  for (const std::size_t index : selected) {
    if (!requested.empty() || names.insert(available[index]).second)
      continue;  // chosen one by one: the user knows them
    const bool is_text = parse_number(available[index], ignored) == CellStatus::text;
    throw DataError(fmt::format("{}: two of the columns have the same name{}{}", place, is_text ? ": " : "",
                                is_text ? available[index] : ""));
  }
  return selected;
}

void set_apart(std::size_t person, bool are_chosen, std::vector<std::size_t>& selected) {
  const auto found = std::find(selected.begin(), selected.end(), person);
  if (found == selected.end()) return;
  if (are_chosen)
    throw InvalidParameter("person", "is one of the columns too: whose record it is is no value to publish");
  selected.erase(found);
  if (selected.empty()) throw InvalidParameter("person", "there is no other column than this one");
}

std::size_t select_time(const std::vector<std::string>& available, const std::vector<std::string>& requested,
                        const std::string& time, std::string_view place) {
  std::size_t at = 0;
  try {
    at = select_columns(available, {time}, place).front();
  } catch (const InvalidParameter&) {
    throw InvalidParameter("time",
                           fmt::format("there is no column {}: {}", time, available_names(available)));
  }
  const std::vector<std::size_t> taken = select_columns(available, requested, place);
  if (!requested.empty() && std::find(taken.begin(), taken.end(), at) != taken.end()) {
    throw InvalidParameter("time", time, "a column that is not one of the columns whose moments are taken");
  }
  return at;
}

std::string presentable_name(std::string_view name, std::string_view place) {
  std::string shown(name);
  for (char& c : shown)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(shown.begin(), shown.end(), is_control) || !simdjson::validate_utf8(shown))
    throw DataError(fmt::format("{}: a column's name is not UTF-8 text: binary data?", place));
  return shown;
}

}  // namespace jme::data
