#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/pipeline/settings_schema.hpp>
#include <jme/service/service.hpp>
#include <jme/version.hpp>

#include "api.hpp"

namespace jme::serve {

namespace {

using Json = nlohmann::ordered_json;

Json schema(const char* name) {
  return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

Json content(const char* type, const Json& of) {
  return {{type, {{"schema", of}}}};
}

Json answer(const char* description, const char* type, const Json& of) {
  return {{"description", description}, {"content", content(type, of)}};
}

const Json a_text{{"type", "string"}};
const Json a_time{{"type", "string"}, {"format", "date-time"}};
const Json a_number{{"type", "number"}};
const Json a_flag{{"type", "boolean"}};
const char* const anybody = "No token is needed.";
const char* const reading = "A token with the role read, or admin; none where releases are public.";

/// Answers of a call: those that are its own, and the problem that every call may have.
Json answers(Json own) {
  own["default"] = answer("What was wrong (RFC 9457); it names the field and never a value of a row",
                          "application/problem+json", schema("Problem"));
  return own;
}

Json parameter(const char* name, const char* in, const char* description, bool required = false) {
  return {
      {"name", name}, {"in", in}, {"required", required}, {"description", description}, {"schema", a_text}};
}

Json call(const char* summary, const char* role, Json own, Json parameters = Json::array(), Json body = {}) {
  Json result{{"summary", summary}, {"description", role}, {"responses", answers(std::move(own))}};
  const std::string_view who = role;
  if (who == anybody) {
    result["security"] = Json::array();
  } else if (who.ends_with("none where releases are public.")) {
    result["security"] = Json::array({{{"token", Json::array()}}, Json::object()});
  }
  if (!parameters.empty()) result["parameters"] = std::move(parameters);
  if (!body.is_null()) result["requestBody"] = {{"required", true}, {"content", std::move(body)}};
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
      {"Release", object({{"t", whole}, {"noise_std", anything}}, {"t", "noise_std"})},
      // Totals do not include the streams of which only the file is known.
      {"Ledger",
       object({{"streams", {{"type", "array"}}}, {"total", {{"type", "array"}}}, {"unknown", whole}},
              {"streams", "total", "unknown"})}};
}

Json paths() {
  const Json stream = parameter("S", "path", "Name of the stream", true);
  const Json since =
      parameter("since", "query", "t of the last release that is known; only later ones are given");
  const Json json_stream = answer("The stream", "application/json", schema("Stream"));
  const Json taken = answer(
      "The rows are on disk, and the releases that they closed can be read. first is the place of "
      "the first row; with slots of time there is none, and slot is when theirs ends. "
      "clamped counts the request's own cells below and above the bounds of their column",
      "application/json", schema("Taken"));
  return {
      {"/",
       {{"get", call("A live page of the streams, for people", anybody,
                     {{"200", answer("The page", "text/html", a_text)}})}}},
      {"/healthz",
       {{"get",
         call("Whether the process lives", anybody, {{"200", answer("It does", "text/plain", a_text)}})}}},
      {"/readyz",
       {{"get",
         call("Whether it takes requests", anybody, {{"200", answer("It does", "text/plain", a_text)}})}}},
      {"/openapi.json",
       {{"get", call("This description", anybody,
                     {{"200", answer("OpenAPI 3.1", "application/json", {{"type", "object"}})}})}}},
      {"/metrics",
       {{"get", call("Releases, noise and budgets for Prometheus", reading,
                     {{"200", answer("Metrics", "text/plain", a_text)}})}}},
      {"/internal/metrics",
       {{"get", call("Rows and requests for Prometheus", "A token with the role admin for all streams.",
                     {{"200", answer("Metrics", "text/plain", a_text)}})}}},
      {"/v1/ledger",
       {{"get", call("What was spent, by source", "A token with the role admin for all streams.",
                     {{"200", answer("The ledger", "application/json", schema("Ledger"))}})}}},
      {"/v1/streams",
       {{"get", call("The streams that the token is for", "Any token; none where releases are public.",
                     {{"200", answer("Streams", "application/json", schema("Streams"))}})},
        {"post", call("Creates a stream", "A token with the role admin.",
                      {{"201", answer("It was created", "application/json", schema("Planned"))},
                       {"200", answer("It was there with the same settings, or this was a dry run",
                                      "application/json", schema("Planned"))}},
                      Json::array({parameter("dry_run", "query", "1: only check and plan")}),
                      content("application/json", schema("Settings")))}}},
      {"/v1/streams/{S}",
       {{"get", call("A stream; with the role write or admin also its numbers of rows, where they are public",
                     "A token for the stream; none where releases are public.", {{"200", json_stream}},
                     Json::array({stream}))}}},
      {"/v1/streams/{S}/rows",
       {{"post",
         call(
             "Gives rows", "A token with the role write, or admin.", {{"202", taken}},
             Json::array({stream,
                          parameter("Idempotency-Key", "header",
                                    "Known for seven days: the same key and body again take nothing"),
                          parameter("Content-Range", "header",
                                    "rows FIRST-LAST/*, counted from 0, where one token writes the stream")}),
             Json{{"text/csv", {{"schema", a_text}}}, {"application/x-ndjson", {{"schema", a_text}}}})}}},
      {"/v1/streams/{S}/blocks/{ID}",
       {{"put",
         call("Gives the sums of rows of the open block or slot", "A token with the role write, or admin.",
              {{"202", taken}},
              Json::array({stream,
                           parameter("ID", "path", "Names the sums: the same again take nothing", true),
                           parameter("origin", "query",
                                     "The job that makes the sums; all that name one name the same")}),
              content("application/octet-stream", a_text))}}},
      {"/v1/streams/{S}/releases",
       {{"get", call("Releases, oldest first, one JSON object per line; a Link field leads to further ones",
                     reading, {{"200", answer("Releases", "application/x-ndjson", schema("Release"))}},
                     Json::array({stream, since,
                                  parameter("limit", "query", "Most releases to give in one answer")}))}}},
      {"/v1/streams/{S}/latest",
       {{"get", call("The newest release", reading,
                     {{"200", answer("A release", "application/json", schema("Release"))}},
                     Json::array({stream}))}}},
      {"/v1/streams/{S}/events",
       {{"get",
         call("Releases as they come, as server-sent events whose id is t", reading,
              {{"200", answer("Events", "text/event-stream", a_text)}},
              Json::array({stream, since,
                           parameter("Last-Event-ID", "header", "t of the last event that was seen")}))}}}};
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
