#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/pipeline/settings_schema.hpp>

namespace jme {
namespace {

using Json = nlohmann::ordered_json;

bool has_type(const Json& value, const std::string& type) {
  return type == "number"    ? value.is_number()
         : type == "string"  ? value.is_string()
         : type == "boolean" ? value.is_boolean()
         : type == "array"   ? value.is_array()
                             : type == "object" && value.is_object();
}

/// What our schemas use of JSON Schema.
bool fits(const Json& value, const Json& schema) {
  const Json types = schema.at("type").is_array() ? schema.at("type") : Json::array({schema.at("type")});
  if (std::none_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); })) {
    return false;
  }
  if (value.is_array() || value.is_object()) {
    const Json& of = schema.at(value.is_array() ? "items" : "additionalProperties");
    const char* const least = value.is_array() ? "minItems" : "minProperties";
    if (value.size() < schema.value(least, std::size_t{0})) return false;
    if (value.size() > schema.value("maxItems", value.size())) return false;
    return std::all_of(value.begin(), value.end(), [&](const Json& part) { return fits(part, of); });
  }
  return true;
}

bool is_read(const std::string& name, const Json& value) {
  try {
    static_cast<void>(RunSettings::from_json(Json{{name, value}}.dump(), "a test"));
    return true;
  } catch (const InvalidParameter&) {
    return false;
  }
}

TEST(SchemasOfSettings, AllowExactlyTheTypesThatAreRead) {
  const Json values =
      Json::parse(R"([1, 1.5, -3, true, null, "text", "", [], ["a", "b"], [1, 2], ["a", 1], {},
      {"a": [0, 1]}, {"a": [0, 1], "b": [-1, 2.5]}, {"a": [0]}, {"a": [0, 1, 2]}, {"a": ["0", "1"]}, {"a": 1}])");
  std::size_t taken = 0;
  for (const RunField& field : run_fields()) {
    const Json schema = schema_of(field);
    for (const Json& value : values) {
      EXPECT_EQ(fits(value, schema), is_read(field.name, value)) << field.name << " = " << value;
      taken += is_read(field.name, value) ? 1 : 0;
    }
  }
  EXPECT_GT(taken, run_fields().size());
}

TEST(SchemasOfSettings, HaveDefaultsThatFitThemAndSayWhatIsAllowed) {
  for (const RunField& field : run_fields()) {
    const Json schema = schema_of(field);
    EXPECT_EQ(schema.contains("default"), !field.fallback.empty()) << field.name;
    EXPECT_TRUE(!schema.contains("default") || fits(schema.at("default"), schema)) << schema;
    EXPECT_THAT(schema.at("description").get<std::string>(), testing::HasSubstr(field.allowed()));
  }
}

}  // namespace
}  // namespace jme
