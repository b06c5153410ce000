#include <string>

#include <nlohmann/json.hpp>

#include <jme/pipeline/run_settings.hpp>
#include <jme/pipeline/settings_schema.hpp>

namespace jme {

namespace {

using Json = nlohmann::ordered_json;

/// Text as a flag of the command has it is allowed for all types but true and false.
Json type_schema(Field::Type type) {
  const Json a_number{{"type", "number"}};
  switch (type) {
    case Field::Type::flag:
      return {{"type", "boolean"}};
    case Field::Type::real:
    case Field::Type::count:
      return {{"type", {"number", "string"}}};
    case Field::Type::list:
      return {{"type", {"array", "string"}}, {"items", {{"type", "string"}}}};
    case Field::Type::ranges: {
      const Json range{{"type", "array"}, {"items", a_number}, {"minItems", 2}, {"maxItems", 2}};
      return {{"type", {"object", "string"}}, {"additionalProperties", range}, {"minProperties", 1}};
    }
    case Field::Type::text:
      break;
  }
  return {{"type", "string"}};
}

}  // namespace

Json schema_of(const RunField& field) {
  Json schema = type_schema(field.type);
  if (!field.fallback.empty()) {
    RunSettings settings;
    settings.set(field.name, field.fallback);
    schema["default"] = Json::parse(settings.to_json()).at(field.name);
  }
  schema["description"] = field.help + ". Must be " + field.allowed() + ".";
  return schema;
}

}  // namespace jme
