#include <cmath>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/inquiry/ledger_json.hpp>

namespace jme {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json stream_json(const LedgerEntry& entry) {
  Json object{{"file", entry.file}};
  if (!entry.settings.empty()) {
    Json configuration = Json::object();
    for (const Setting& setting : entry.settings) configuration[setting.name] = setting.value;
    object.update({{"source", entry.source},
                   {"stream", entry.stream},
                   {"epsilon", entry.epsilon ? Json(*entry.epsilon) : Json()},
                   {"delta", entry.delta ? Json(*entry.delta) : Json()},
                   {"mu", entry.mu},
                   {entry.has_slots ? "slots" : "rows", entry.rows},
                   {"horizon", entry.horizon ? Json(*entry.horizon) : Json("unbounded")},
                   {"releases", entry.releases},
                   {"started", utc_text(entry.created)},
                   {"updated", utc_text(entry.updated)},
                   {"insecure", entry.insecure},
                   {"configuration", std::move(configuration)}});
  }
  object["condition"] = condition_of(entry);
  if (!entry.problem.empty()) object["problem"] = entry.problem;
  return object;
}

Json total_json(const SourceTotal& total) {
  return {
      {"source", total.source},
      {"streams", total.streams},
      {"mu", total.insecure ? Json() : Json(total.mu)},
      {"epsilon", number_or_null(total.epsilon)},
      {"delta", total.delta},
      {"adjacency", total.unit.adjacency},
      {"participations", total.unit.participations},
      {"separation", total.unit.separation},
      {"per_person", total.unit.per_person},
      {"window", total.unit.window.empty() ? Json() : Json(total.unit.window)},
      {"window_by", total.unit.window.empty() ? Json() : Json(total.unit.by_arrival ? "arrival" : "time")},
      {"across_units", total.across_units},
      {"across_limits", total.across_limits},
      {"insecure", total.insecure},
      {"incomplete", total.incomplete}};
}

}  // namespace

std::string utc_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string condition_of(const LedgerEntry& entry) {
  if (!entry.problem.empty()) return "problem";
  if (entry.in_use) return "running";
  return entry.finished ? "finished" : "open";
}

Json ledger_json(const Ledger& ledger, std::optional<double> delta) {
  Json streams = Json::array(), total = Json::array();
  for (const LedgerEntry& entry : ledger.entries()) streams.push_back(stream_json(entry));
  for (const SourceTotal& one : ledger.totals(delta)) total.push_back(total_json(one));
  return {{"streams", std::move(streams)}, {"total", std::move(total)}, {"unknown", ledger.unknown()}};
}

}  // namespace jme
