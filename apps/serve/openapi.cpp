#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/pipeline/settings_schema.hpp>
#include <jme/service/service.hpp>
#include <jme/version.hpp>

#include "api.hpp"
#include "calls.hpp"

namespace jme::serve {

namespace {

using Json = nlohmann::ordered_json;

Json schema(std::string_view name) {
  return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

Json answer(std::string_view about, std::string_view type, const Json& of) {
  return {{"description", about}, {"content", {{std::string(type), {{"schema", of}}}}}};
}

const Json a_text{{"type", "string"}};
const Json a_time{{"type", "string"}, {"format", "date-time"}};
const Json a_number{{"type", "number"}};
const Json a_flag{{"type", "boolean"}};
/// Who may make a call, in words.
std::string who(const CallDescription& call) {
  switch (call.access) {
    case Access::anybody:
      return "No token is needed.";
    case Access::any_token:
      return std::string(call.path.find("{S}") == std::string_view::npos ? "Any token"
                                                                         : "A token for the stream") +
             "; none where releases are public.";
    case Access::reader:
      return "A token with the role read, or admin; none where releases are public.";
    case Access::writer:
      return "A token with the role write, or admin.";
    case Access::admin:
      return "A token with the role admin.";
    case Access::admin_of_all:
      break;
  }
  return "A token with the role admin for all streams.";
}

Json schema_or_text(std::string_view name) {
  return name.empty() ? a_text : name == "Anything" ? Json{{"type", "object"}} : schema(name);
}

Json parameter(std::string_view name, const char* in, std::string_view about, bool required) {
  return {{"name", name}, {"in", in}, {"required", required}, {"description", about}, {"schema", a_text}};
}

/// Those of the path come first.
Json parameters_of(const CallDescription& call) {
  Json all = Json::array();
  if (call.path.find("{S}") != std::string_view::npos) {
    all.push_back(parameter("S", "path", "Name of the stream", true));
  }
  if (call.path.find("{ID}") != std::string_view::npos) {
    all.push_back(parameter("ID", "path", "Names the sums: the same again take nothing", true));
  }
  for (const ParameterDescription& one : call.parameters) {
    all.push_back(parameter(one.name, one.is_header ? "header" : "query", one.about, false));
  }
  return all;
}

Json described(const CallDescription& call) {
  Json answers = Json::object();
  for (const AnswerDescription& one : call.answers) {
    answers[std::to_string(one.status)] = answer(one.about, one.type, schema_or_text(one.schema));
  }
  answers["default"] = answer("What was wrong (RFC 9457); it names the field and never a value of a row",
                              "application/problem+json", schema("Problem"));
  Json result{{"summary", call.about}, {"description", who(call)}, {"responses", std::move(answers)}};
  if (call.access == Access::anybody) {
    result["security"] = Json::array();
  } else if (call.access == Access::any_token || call.access == Access::reader) {
    result["security"] = Json::array({{{"token", Json::array()}}, Json::object()});
  }
  if (Json parameters = parameters_of(call); !parameters.empty())
    result["parameters"] = std::move(parameters);
  if (call.bodies.empty()) return result;
  Json content = Json::object();
  for (const std::string_view type : call.bodies) {
    content[std::string(type)] = {{"schema", schema_or_text(call.body_schema)}};
  }
  result["requestBody"] = {{"required", true}, {"content", std::move(content)}};
  return result;
}

Json object(Json properties, Json required) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

/// The settings of a stream, from the table of all settings.
Json settings() {
  Json properties{{"name",
                   {{"type", "string"},
                    {"pattern", "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
                    {"description", "The stream's name."}}}};
  for (const RunField& field : run_fields()) {
    const bool is_for_tests = field.name == "insecure_test_seed";
    if ((field.fronts & Field::served) != 0 && !is_for_tests) properties[field.name] = schema_of(field);
  }
  properties["on_bad_row"]["default"] = "zero";  // a run has another one
  return {{"type", "object"},
          {"description", "The settings of a run, as jme run --config reads them, and the stream's name"},
          {"properties", std::move(properties)},
          {"required", {"name"}},
          {"additionalProperties", false}};
}

Json or_null(Json schema) {
  schema["type"] = {schema["type"], "null"};
  return schema;
}

Json schemas() {
  const Json whole{{"type", "integer"}, {"minimum", 0}};
  const Json anything{{"type", "object"}};
  return {
      {"Problem", object({{"type", a_text},
                          {"title", a_text},
                          {"status", whole},
                          {"detail", a_text},
                          {"field", a_text},
                          {"request", a_text}},
                         {"type", "title", "status", "detail", "request"})},
      {"Settings", settings()},
      {"Planned",
       object({{"name", a_text}, {"plan", anything}, {"stream", anything}}, {"name", "plan", "stream"})},
      // What is null is not known: the state of the stream cannot be read.
      {"Stream",
       object(
           {{"name", a_text},
            {"condition", {{"enum", {"open", "finished", "problem"}}}},
            {"releases", or_null(whole)},
            {"t", or_null(whole)},
            {"due", a_time},
            {"budget",
             or_null(object(
                 {{"mu", a_number}, {"epsilon", a_number}, {"delta", a_number}, {"spent", or_null(a_flag)}},
                 {"mu", "spent"}))},
            {"stream", or_null(anything)},
            {"writer", anything},
            {"problem", a_text}},
           {"name", "condition", "releases", "t", "budget", "stream"})},
      {"Streams", object({{"streams", {{"type", "array"}, {"items", schema("Stream")}}}}, {"streams"})},
      {"Taken", object({{"rows", whole},
                        {"unread", whole},
                        {"first", whole},
                        {"slot", a_time},
                        {"released", {{"type", "array"}, {"items", whole}}},
                        {"repeated", {{"type", "boolean"}}}},
                       {"rows", "unread", "released", "repeated"})},
      {"Comparison",
       object({{"from", anything},
               {"to", anything},
               {"columns", {{"type", "array"}}},
               {"mean", anything},
               {"interval", anything},
               {"changed", {{"type", "array"}}},
               {"statement", a_text}},
              {"from", "to", "columns", "mean", "interval", "changed", "statement"})},
      {"Release", object({{"t", whole}, {"noise_std", anything}}, {"t", "noise_std"})},
      // Totals do not include the streams of which only the file is known.
      {"Ledger",
       object({{"streams", {{"type", "array"}}}, {"total", {{"type", "array"}}}, {"unknown", whole}},
              {"streams", "total", "unknown"})}};
}

Json paths() {
  Json all = Json::object();
  for (const CallDescription& call : call_descriptions()) {
    if (call.about.empty()) continue;
    std::string method(call.method);
    for (char& c : method) c = static_cast<char>(c + ('a' - 'A'));
    all[std::string(call.path)][method] = described(call);
  }
  return all;
}

}  // namespace

std::string openapi() {
  static const std::string document =
      Json{{"openapi", "3.1.0"},
           {"info", {{"title", "jme serve"}, {"version", version}}},
           {"security", Json::array({{{"token", Json::array()}}})},
           {"paths", paths()},
           {"components",
            {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
             {"schemas", schemas()}}}}
          .dump(1) +
      '\n';
  return document;
}

}  // namespace jme::serve
