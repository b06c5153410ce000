#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/quoted_part.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme {

namespace {

using Json = nlohmann::ordered_json;
using Type = Field::Type;

InvalidParameter wrong_value(const Field& field) {
  return {field.name, "must be " + field.allowed()};
}

/// A whole number is written without a point, so that it can be read as a count.
std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 0x1p53) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string list_text(const Field& field, const Json& value) {
  std::string text;
  for (const Json& part : value) {
    if (!part.is_string()) throw wrong_value(field);
    text += (text.empty() ? "" : ",") + quoted_part(part.get<std::string>());
  }
  return text;
}

std::string ranges_text(const Field& field, const Json& value) {
  std::vector<std::string> columns;
  std::vector<double> low, high;
  for (const auto& [column, range] : value.items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number()) {
      throw InvalidParameter(field.name, fmt::format("{} must have [low, high], two finite numbers", column));
    }
    columns.push_back(column);
    low.push_back(range[0].get<double>());
    high.push_back(range[1].get<double>());
  }
  if (columns.empty()) throw wrong_value(field);
  return ColumnBounds::of(columns, low, high).text();
}

std::string text_of(const Field& field, const Json& value) {
  if (field.type == Type::flag) {
    if (!value.is_boolean()) throw wrong_value(field);
    return value.get<bool>() ? "true" : "false";
  }
  if (value.is_string()) return value.get<std::string>();
  const bool is_number = field.type == Type::real || field.type == Type::count;
  if (is_number && value.is_number_integer()) return value.dump();
  if (is_number && value.is_number()) return number_text(value.get<double>());
  if (field.type == Type::list && value.is_array()) return list_text(field, value);
  if (field.type == Type::ranges && value.is_object()) return ranges_text(field, value);
  throw wrong_value(field);
}

Json number_json(const std::string& text) {
  try {
    const double value = parse_real("number", text);
    if (!std::isfinite(value)) return text;
    if (value == std::floor(value) && std::abs(value) < 0x1p53) return static_cast<std::int64_t>(value);
    return value;
  } catch (const InvalidParameter&) {
    return text;  // a word, such as unbounded
  }
}

Json json_of(const Field& field, const std::string& text) {
  switch (field.type) {
    case Type::flag:
      return text == "true";
    case Type::real:
    case Type::count:
      return number_json(text);
    case Type::list:
      return parse_list(field.name, text);
    case Type::ranges: {
      if (text.starts_with('@') || text == "auto") return text;  // a file has them, or nobody yet
      Json object = Json::object();
      for (const ColumnRange& range : parse_ranges(text)) object[range.name] = {range.low, range.high};
      return object;
    }
    case Type::text:
      break;
  }
  return text;
}

void check_is_known(std::string_view field) {
  if (find_run_field(field) == nullptr) throw InvalidParameter(field, "is not a setting of a run");
}

/// Parses, and refuses a key that occurs twice, because nobody can tell which of the two values was meant.
Json parsed(std::string_view text, const std::string& origin) {
  std::set<std::string> seen;
  const auto once = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key && !seen.insert(value.get<std::string>()).second) {
      throw InvalidParameter("config", fmt::format("{} sets {} twice", origin, value.get<std::string>()));
    }
    return true;
  };
  try {
    Json object = Json::parse(text, once);
    if (object.is_object()) return object;
  } catch (const Json::parse_error& error) {
    throw InvalidParameter("config",
                           fmt::format("{} is not JSON: it has an error at byte {}", origin, error.byte));
  }
  throw InvalidParameter("config", fmt::format("{} must be one JSON object", origin));
}

}  // namespace

void RunSettings::set(std::string_view field, std::string text) {
  check_is_known(field);
  texts_[std::string(field)] = std::move(text);
}

const std::optional<std::string>& RunSettings::operator[](std::string_view field) const {
  static const std::optional<std::string> none;
  check_is_known(field);
  const auto found = texts_.find(field);
  return found == texts_.end() ? none : found->second;
}

bool RunSettings::is_on(std::string_view field) const {
  return (*this)[field] == "true";
}

RunSettings RunSettings::over(const RunSettings& below) const {
  RunSettings both = *this;
  both.texts_.insert(below.texts_.begin(), below.texts_.end());
  return both;
}

RunSettings RunSettings::from_json(std::string_view text, const std::string& origin) {
  RunSettings settings;
  const Json object = parsed(text, origin);
  for (const auto& [key, value] : object.items()) {
    const RunField* field = find_run_field(key);
    if (field == nullptr) {
      throw InvalidParameter("config", fmt::format("{} has the unknown key {}; the nearest known one is {}",
                                                   origin, key, nearest_run_field(key)));
    }
    settings.set(key, text_of(*field, value));
  }
  return settings;
}

std::string RunSettings::to_json() const {
  Json object = Json::object();
  for (const RunField& field : run_fields()) {
    if (const auto& given = (*this)[field.name]) {
      object[field.name] = json_of(field, *given);
    } else if (!field.fallback.empty()) {
      object[field.name] = json_of(field, field.fallback);
    }
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace jme
