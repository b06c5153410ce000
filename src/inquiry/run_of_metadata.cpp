#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/inquiry/released_run.hpp>
#include <jme/pipeline/run_fields.hpp>

namespace jme {
namespace {

using Json = nlohmann::ordered_json;

InvalidParameter no_metadata() {
  return {"releases", "must begin with the line of metadata that jme run writes first"};
}

/// Settings that make the noise, or say what its rows are. Workloads are read by themselves: over slots of
/// time they are written in slots.
bool decides_noise(std::string_view name) {
  static constexpr std::array others{"workload", "workload2", "balance",    "objective",
                                     "threads",  "steps",     "separation", "max_state_vectors"};
  for (const char* other : others) {
    if (name == other) return false;
  }
  static constexpr std::array of_rows{"bounds", "missing", "person", "time", "time_unit", "from", "until"};
  for (const char* known : of_rows) {
    if (name == known) return true;
  }
  const RunField* field = find_run_field(name);
  return field != nullptr && field->is_of_stream;
}

const Json& member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw no_metadata();
  return *found;
}

/// How rows of the bounds were found, their filling and their order are not settings of what was released.
Json settings_of(const Json& metadata) {
  const Json &configuration = member(metadata, "configuration"), &privacy = member(metadata, "privacy");
  Json result = Json::object();
  for (const auto& [name, value] : configuration.items()) {
    if (decides_noise(name) && !value.is_null()) result[name] = value;
  }
  const bool has_slots = !configuration.contains("rows");
  if (has_slots && !configuration.contains("until")) result["steps"] = member(configuration, "steps");
  if (!configuration.contains("rows_per_person")) {
    if (!has_slots) result["separation"] = configuration.value("separation", Json(1));
  } else {
    result.erase("participations");
  }
  // Values that are filled in public, or from releases, leave the noise as it is.
  const std::string missing = configuration.value("missing", "");
  if (missing.find("observed") == std::string::npos) result.erase("missing");
  const bool has_epsilon = !member(privacy, "epsilon").is_null();
  for (const char* name : {"epsilon", "delta"}) {
    if (has_epsilon) result[name] = member(privacy, name);
  }
  if (!has_epsilon) result["sigma"] = member(privacy, "sigma");
  result["adjacency"] = member(privacy, "adjacency");
  result["allow_weak"] = true;
  const std::string method = configuration.value("method", "jme");
  const Json lambda = configuration.value("lambda", Json());
  result.erase("lambda");
  if (method == "cs") result["tau"] = lambda;
  if ((method == "jme" || method == "lambda-jme") && lambda.is_number() && lambda > 0) {
    result["lambda"] = lambda;
  }
  if (configuration.value("second", "full") == "none") result.erase("shape2");
  // Columns without bounds have names all the same.
  if (!result.contains("bounds")) result["columns"] = member(metadata, "columns");
  return result;
}

Workload workload_of(const Json& configuration, const char* name, const MatrixReader& read_matrix) {
  return parse_workload(member(configuration, name).get<std::string>(), "releases", read_matrix);
}

void check_noise(const Mechanism& mechanism, const Json& configuration) {
  const auto agrees = [](double made, const Json& stated) {
    return !stated.is_number() || std::abs(made - stated.get<double>()) <= 1e-9 * std::abs(made);
  };
  const Calibration& noise = mechanism.calibration();
  if (!agrees(noise.std_first, member(configuration, "std_first")) ||
      !agrees(noise.std_rows, configuration.value("std_rows", Json())) ||
      !agrees(noise.std_count, configuration.value("std_count", Json()))) {
    throw StateError(
        "releases: their noise is not what this version of jme makes from their settings; use the version "
        "that wrote them");
  }
}

}  // namespace

std::unique_ptr<PreparedRun> run_of_metadata(const Json& metadata, const MatrixReader& read_matrix) {
  if (!metadata.is_object()) throw no_metadata();
  try {
    const Json& configuration = member(metadata, "configuration");
    const RunSettings settings = RunSettings::from_json(settings_of(metadata).dump(), "the metadata");
    RunConfig config = run_config(settings, read_matrix);
    config.columns = member(metadata, "columns").get<std::vector<std::string>>();
    config.stream.workload = workload_of(configuration, "workload", read_matrix);
    if (configuration.value("second", "full") != "none") {
      config.stream.workload_second = workload_of(configuration, "workload2", read_matrix);
    }
    config.emit.values = {{.kind = Emit::first}};
    auto run = std::make_unique<PreparedRun>(std::move(config));
    const std::string begins = configuration.value("first_slot_begins", "");
    if (const auto start = parse_time(begins); start && run->clock()) run->begin_at(*start);
    check_noise(run->mechanism(), configuration);
    return run;
  } catch (const Json::exception&) {
    throw no_metadata();
  }
}

}  // namespace jme
