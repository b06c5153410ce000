#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/pipeline/bounds_file.hpp>

namespace jme {

namespace {

using Json = nlohmann::ordered_json;

InvalidParameter refusal(const std::string& name, std::string_view what) {
  return {"bounds", fmt::format("@{}: {}", name, what)};
}

const Json& part(const Json& object, const char* key, const std::string& name) {
  const auto found = object.find(key);
  if (found == object.end())
    throw refusal(name, fmt::format("has no {}: it is not what jme bounds wrote", key));
  return *found;
}

double number_in(const Json& object, const char* key, const std::string& name) {
  const Json& value = part(object, key, name);
  if (!value.is_number()) throw refusal(name, fmt::format("{} must be a number", key));
  return value.get<double>();
}

std::uint64_t count_in(const Json& object, const char* key, const std::string& name) {
  const double value = number_in(object, key, name);
  if (!(value >= 1 && value <= 0x1p53 && value == std::floor(value))) {
    throw refusal(name, fmt::format("{} must be a whole number of at least 1", key));
  }
  return static_cast<std::uint64_t>(value);
}

/// Empty where there is none.
std::string text_in(const Json& object, const char* key, const std::string& name) {
  if (!object.contains(key)) return {};
  if (!object[key].is_string()) throw refusal(name, fmt::format("{} must be a name", key));
  return object[key].get<std::string>();
}

BoundsOrigin origin_of(const Json& search, const std::string& name) {
  if (!search.is_object()) throw refusal(name, "search must be an object");
  const Json& adjacency = part(search, "adjacency", name);
  if (!adjacency.is_string()) throw refusal(name, "adjacency must be replace-one or add-remove");
  BoundsOrigin origin = BoundsOrigin::of(
      {.budget = {.epsilon = number_in(search, "epsilon", name), .delta = number_in(search, "delta", name)},
       .columns = 1,
       .records = count_in(search, "first", name),
       .adjacency = parse_adjacency(adjacency.get<std::string>()),
       .records_per_person = count_in(search, "participations", name)},
      search.contains("insecure"));
  origin.per_person = search.contains("per_person");
  origin.source = text_in(search, "source", name);
  origin.stream = text_in(search, "stream", name);
  return origin;
}

std::vector<ColumnRange> ranges_of(const Json& bounds, const std::string& name) {
  if (!bounds.is_object()) throw refusal(name, "bounds must be an object of [low, high] by column");
  std::vector<ColumnRange> ranges;
  for (const auto& [column, range] : bounds.items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number()) {
      throw refusal(name, "bounds must be an object of [low, high] by column");
    }
    ranges.push_back({.name = column, .low = range[0].get<double>(), .high = range[1].get<double>()});
  }
  return ranges;
}

}  // namespace

BoundsFile BoundsFile::parse(std::string_view text, const std::string& name) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) throw refusal(name, "must be one JSON object, as jme bounds writes it");
  return {.origin = origin_of(part(object, "search", name), name),
          .ranges = ranges_of(part(object, "bounds", name), name)};
}

std::vector<std::string> BoundsFile::columns() const {
  std::vector<std::string> names;
  for (const ColumnRange& range : ranges) names.push_back(range.name);
  return names;
}

BoundsFile BoundsFile::of(const FoundBounds& found) {
  BoundsFile file{.origin = found.origin, .ranges = {}};
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    const FoundRange& range = found.ranges[i];
    if (range.kind != FoundRange::Kind::found) continue;
    file.ranges.push_back({.name = found.columns[i], .low = range.low, .high = range.high});
  }
  return file;
}

ColumnBounds BoundsFile::bounds_of(const std::vector<std::string>& columns) const {
  if (columns.empty()) throw InvalidParameter("bounds", "the search found no range");
  std::vector<double> low, high;
  for (const std::string& column : columns) {
    const auto found = std::find_if(ranges.begin(), ranges.end(),
                                    [&](const ColumnRange& range) { return range.name == column; });
    if (found == ranges.end()) {
      throw InvalidParameter("bounds",
                             fmt::format("the search found no range for column {}: leave it out, or "
                                         "state public bounds for it",
                                         column));
    }
    low.push_back(found->low);
    high.push_back(found->high);
  }
  return ColumnBounds::of(columns, low, high);
}

}  // namespace jme
