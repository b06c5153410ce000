#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

// What makes this C this C: the modes of its Toeplitz core, T = 1 + sum_i weight_i x / (1 - pole_i x), where
// it has them; the order where that is all there is.
nlohmann::ordered_json parameters(const Shape& shape, const Filter& filter) {
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
  if (shape.order() > 0) result["order"] = shape.order();
  if (filter.is_dense() || filter.core().modes.empty()) return result;
  nlohmann::ordered_json poles = nlohmann::ordered_json::array(), weights = nlohmann::ordered_json::array();
  for (const Mode& mode : filter.core().modes) {
    poles.push_back(mode.pole);
    weights.push_back(mode.weight);
  }
  result["poles"] = std::move(poles);
  result["weights"] = std::move(weights);
  return result;
}

}  // namespace

ShapeCommand::ShapeCommand(CLI::App& root)
    : app_(root.add_subcommand("shape", "How good a noise shape is for a workload")) {
  add_text(*app_, "--workload,--workload1", workload_, "W", workload_help);
  horizon_.attach(*app_);
  add_text(*app_, "--shape,--shape1", shape_, "S", shape_help);
  add_text(*app_, "--objective", objective_, "O", "What to minimise: rmse (default) or max");
  add_text(*app_, "--max-state-vectors", max_state_vectors_, "N",
           "Most memory auto may use, in vectors (default 5)");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "rmse and max are the root mean square and the largest noise of a release, for unit noise and rows\n"
      "of unit sensitivity; state_vectors is what streaming keeps in memory, in rows.\n"
      "\nExamples:\n"
      "  jme shape --workload prefix --steps 1000\n"
      "  jme shape --workload decay:0.99 --steps 1e6 --shape sqrt --json\n"
      "  jme shape --workload mean --rows 1e6 --every 1000 --objective max");
}

ExitCode ShapeCommand::run() const {
  const Horizon horizon = horizon_.horizon();
  const Objective objective = parse_objective(objective_.value_or("rmse"));
  const std::size_t memory = max_state_vectors_ ? parse_count("max-state-vectors", *max_state_vectors_, 0)
                                                : StreamConfig{}.max_state_vectors;
  const Workload workload = parse_workload(workload_.value_or("mean"), "workload");
  const Shape asked = parse_shape(shape_.value_or("auto"), "shape");
  const auto made = [&]() -> ShapeChoice {
    if (asked.kind() == Shape::Kind::automatic) return choose_shape(workload, horizon, objective, memory);
    const Filter a = workload.filter(horizon);
    Filter c = asked.filter(workload, horizon, objective);
    if (!c.is_invertible())
      throw InvalidParameter("shape", asked.name(), "invertible (no zero on the diagonal)");
    const ShapeQuality quality = shape_quality(a, c);
    return {.shape = asked, .filter = std::move(c), .quality = quality};
  }();
  const nlohmann::ordered_json result{{"shape", made.shape.name()},
                                      {"rmse", made.quality.rmse},
                                      {"max", made.quality.max},
                                      {"column_norm", made.quality.column_norm},
                                      {"state_vectors", made.quality.state_vectors},
                                      {"parameters", parameters(made.shape, made.filter)}};
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
