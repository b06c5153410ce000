#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <jme/mechanism/moved_rows.hpp>
#include <jme/mechanism/stream_fields.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/output/json_line.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/version.hpp>

#include "output/noise_json.hpp"

namespace jme {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const FieldValue& value) {
  return std::visit(
      [](const auto& known) -> Json {
        using Value = std::decay_t<decltype(known)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<Value, MatrixName>) {
          return known.name;
        } else {
          return known;
        }
      },
      value);
}

/// These stand with the guarantee.
bool is_said_with_privacy(const Field& field) {
  return field.name == "epsilon" || field.name == "delta" || field.name == "sigma" ||
         field.name == "adjacency";
}

Json configuration(const RunDescription& run) {
  const Mechanism& mechanism = run.mechanism;
  const Calibration& noise = mechanism.calibration();
  Json result;
  const auto add = [&](const std::string& name, const FieldValue& value) {
    if (!std::holds_alternative<std::monostate>(value)) result[name] = json_of(value);
  };
  for (const StreamField& field : stream_fields()) {
    if (!is_said_with_privacy(field)) add(field.name, field.in_force(mechanism));
  }
  result["sensitivity"] = noise.sensitivity;
  add_noise(result, noise);
  result["std_second"] = noise.std_second;
  result["lattice"] = {{"first", mechanism.lattice().first}, {"second", mechanism.lattice().second}};
  result["covariance_debiased"] = run.emit.bias == Bias::removed;
  for (const SettingInForce& setting : run.settings) add(setting.name, setting.value);
  if (run.clock && run.clock->has_begun) result["first_slot_begins"] = iso_text(run.clock->schedule.start);
  return result;
}

Json privacy(const RunDescription& run) {
  const Mechanism& mechanism = run.mechanism;
  const std::optional<ApproxDp> target = mechanism.config().budget.approx_dp();
  Json result{{"epsilon", target ? Json(double{target->epsilon}) : Json()},
              {"delta", target ? Json(double{target->delta}) : Json()},
              {"sigma", mechanism.sigma()},
              {"mu", mechanism.mu()},
              {"delta_0", mechanism.bad_past()},
              {"sampler_cost", mechanism.sampler_cost()},
              {"adjacency", name(mechanism.config().adjacency)}};
  if (run.insecure_seed) result["insecure_test_seed"] = *run.insecure_seed;
  const auto with_search = [&](double mu) { return run.bounds_origin ? run.bounds_origin->mu_with(mu) : mu; };
  if (run.clock) result["mu_of_moved_row"] = with_search(mu_of_moved_rows(mechanism));
  if (const std::optional<double> windows = mu_of_all_windows(mechanism)) {
    const double mu = with_search(*windows);
    result["mu_of_all_windows"] = std::isfinite(mu) ? Json(mu) : Json();
  }
  if (run.bounds_origin) {
    result["bounds_search"] = origin_json(*run.bounds_origin);
    result["bounds_search"]["same_rows"] = run.bounds_origin->same_rows;
    result["mu_with_search"] = run.bounds_origin->mu_with(mechanism.mu());
  }
  const std::vector<std::string> notes = notes_on_budget(mechanism.config());
  if (!notes.empty()) result["notes"] = notes;
  result["statement"] = one_line(privacy_statement(run));
  return result;
}

}  // namespace

Json metadata(const RunDescription& run, const std::vector<std::string>& columns) {
  return {{"jme", version},
          {"configuration", configuration(run)},
          {"privacy", privacy(run)},
          {"columns", columns}};
}

std::string metadata_line(const RunDescription& run, const std::vector<std::string>& columns) {
  return json_line(metadata(run, columns));
}

std::string json_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace jme
