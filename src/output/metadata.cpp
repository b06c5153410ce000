#include <nlohmann/json.hpp>

#include <jme/output/json_line.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/version.hpp>

namespace jme {

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
  if (!run.bounds.is_none()) result["bounds"] = run.bounds.text();
  if (!run.missing.empty()) result["missing"] = run.missing;
  if (!run.records.empty()) result["records"] = run.records;
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
  result["statement"] =
      one_line(privacy_statement(mechanism, !run.bounds.is_none(), run.insecure_seed.has_value()));
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
