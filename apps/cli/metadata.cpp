#include "metadata.hpp"

#include <cmath>

#include <fmt/format.h>

#include <jme/privacy/gaussian.hpp>
#include <jme/theory/expected_error.hpp>
#include <jme/theory/plan.hpp>
#include <jme/version.hpp>

#include "parse.hpp"
#include "plan_table.hpp"
#include "privacy_statement.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

using Json = nlohmann::ordered_json;

Json emit_names(const EmitOptions& emit) {
  Json names = Json::array();
  for (const EmitItem& item : emit.values) names.push_back(item.text());
  return names;
}

Json configuration(const RunDescription& run) {
  const Mechanism& mechanism = run.mechanism;
  const StreamConfig& config = mechanism.config();
  const Calibration& noise = mechanism.calibration();
  const bool unbounded = mechanism.horizon().is_unbounded();
  Json result{{"rows", unbounded ? Json("unbounded") : Json(mechanism.horizon().rows())},
              {"every", mechanism.horizon().every()},
              {"steps", unbounded ? Json("unbounded") : Json(mechanism.horizon().steps())},
              {"dimension", config.dimension},
              {"norm_bound", config.norm_bound},
              {"workload", mechanism.workload_first().name()},
              {"workload2", mechanism.workload_second().name()},
              {"second", name(config.second)},
              {"method", name(config.method)},
              {"shape", mechanism.shape_first().name()},
              {"shape2", mechanism.shape_second().name()},
              {"lambda", noise.lambda},
              {"sensitivity", noise.sensitivity},
              {"std_first", noise.std_first},
              {"std_second", noise.std_second},
              {"participations", config.participation.rows},
              {"separation", config.participation.separation},
              {"lattice", {{"first", mechanism.lattice().first}, {"second", mechanism.lattice().second}}},
              {"emit", emit_names(run.emit)},
              {"covariance_debiased", run.emit.bias == Bias::removed},
              {"psd", run.emit.psd}};
  if (!run.bounds.is_none()) result["bounds"] = run.bounds_text;
  if (!run.missing.empty()) result["missing"] = run.missing;
  if (!run.records.empty()) result["records"] = run.records;
  return result;
}

Json privacy(const RunDescription& run) {
  const Mechanism& mechanism = run.mechanism;
  const Budget& budget = mechanism.config().budget;
  const bool by_sigma = budget.sigma != 0;
  Json result{{"epsilon", by_sigma ? Json() : Json(budget.epsilon)},
              {"delta", by_sigma ? Json() : Json(budget.delta)},
              {"sigma", mechanism.sigma()},
              {"mu", mechanism.mu()},
              {"delta_0", mechanism.bad_past()},
              {"sampler_cost", mechanism.sampler_cost()},
              {"adjacency", name(mechanism.config().adjacency)}};
  if (run.insecure_seed) result["insecure_test_seed"] = *run.insecure_seed;
  result["statement"] =
      one_line(privacy_statement(mechanism, !run.bounds.is_none(), run.insecure_seed.has_value()));
  return result;
}

// Noise that the mean will carry when the horizon is reached, in the columns' own units.
std::string final_noise(const RunDescription& run, const std::vector<std::string>& columns) {
  const Mechanism& mechanism = run.mechanism;
  const Horizon& horizon = mechanism.horizon();
  const std::size_t steps = mechanism.error_steps();
  const double weight =
      mechanism.workload_first().weight_sum(steps - 1, horizon.rows_through(steps - 1), horizon);
  const double std = std::sqrt(release_variance(mechanism).first.back()) / weight;
  const std::string when = horizon.is_unbounded() ? fmt::format("after {} releases", steps)
                                                  : std::string("at the end of the horizon");
  if (run.bounds.is_none()) return fmt::format("Noise on each mean {}: {:.4g}\n", when, std);
  std::string text = fmt::format("Noise on each mean {}:", when);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format("{} {} {:.4g}", i == 0 ? "" : ",", columns[i], std * run.bounds.half_width()[i]);
  }
  return text + '\n';
}

}  // namespace

Json metadata(const RunDescription& run, const std::vector<std::string>& columns) {
  return {{"jme", version},
          {"configuration", configuration(run)},
          {"privacy", privacy(run)},
          {"columns", columns}};
}

std::string dry_run_text(const RunDescription& run, const std::vector<std::string>& columns) {
  const Mechanism& mechanism = run.mechanism;
  StreamConfig config = mechanism.config();
  if (mechanism.has_second()) config.shape_second = mechanism.shape_second();
  const Horizon& horizon = mechanism.horizon();
  std::string text =
      horizon.is_unbounded()
          ? fmt::format(
                "Plan: one release every {} row(s), without a horizon, of {} column(s); errors over "
                "the first {} releases\n",
                horizon.every(), config.dimension, mechanism.error_steps())
          : fmt::format("Plan: {} releases, one every {} row(s), of at most {} rows with {} column(s)\n",
                        horizon.steps(), horizon.every(), horizon.rows(), config.dimension);
  text += fmt::format("Workload {}, noise multiplier sigma = {:.6g}\n\n", mechanism.workload_first().name(),
                      mechanism.sigma());
  text += plan_table(plan(config, {.method = config.method, .shape = mechanism.shape_first()}));
  text += '\n' + final_noise(run, columns) + "\nPrivacy\n\n";
  text += wrapped(privacy_statement(mechanism, !run.bounds.is_none(), run.insecure_seed.has_value()));
  return text + "\nNo row of data was read.\n";
}

}  // namespace jme::cli
