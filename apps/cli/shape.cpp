#include <optional>

#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/shaping/shape.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Everything that defines C beside its name, the workload and the horizon, at full precision: what
/// Shape::blt and Shape::scaled_blt take.
Json parameters(const Shape& shape) {
  Json result = Json::object();
  if (shape.order() > 0) result["order"] = shape.order();
  if (!shape.blt_parameters()) return result;
  const ScaledBltParameters& numbers = *shape.blt_parameters();
  result["poles"] = numbers.blt.poles;
  result["zeros"] = numbers.blt.zeros;
  if (shape.kind() != Shape::Kind::scaled_blt) return result;
  if (!numbers.lag_taps.empty()) {
    Json lags = Json::array();
    for (const LagTap& tap : numbers.lag_taps) lags.push_back({{"lag", tap.lag}, {"weight", tap.weight}});
    result["lag_taps"] = lags;
    return result;
  }
  result["start_offset"] = numbers.start_offset;
  result["start_power"] = numbers.start_power;
  result["end_offset"] = numbers.end_offset;
  result["end_power"] = numbers.end_power;
  return result;
}

/// Without a horizon a shape has an error at every length; these lengths are shown.
constexpr std::size_t lengths[] = {100, 1'000, 10'000, 100'000, 1'000'000};

}  // namespace

ShapeCommand::ShapeCommand(CLI::App& root)
    : app_(root.add_subcommand("shape", "How good a noise shape is for a workload")) {
  add_text(*app_, "--workload,--workload1", workload_, "W", workload_help());
  horizon_.attach(*app_);
  add_text(*app_, "--shape,--shape1", shape_, "S", shape_help());
  add_text(*app_, "--objective", objective_, "O", "What to minimise: rmse (default) or max");
  add_text(*app_, "--max-state-vectors", max_state_vectors_, "N",
           "Most memory auto may use, in vectors (default 5; windows: 256 MB)");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "rmse and max are the root mean square and the largest noise of a release, for unit noise and rows\n"
      "of unit sensitivity; state_vectors is what streaming keeps in memory, in rows. With an unbounded\n"
      "horizon they are those of the first million releases, and `at` has other lengths.\n"
      "\nExamples:\n"
      "  jme shape --workload prefix --steps 1000\n"
      "  jme shape --workload decay:0.99 --steps 1e6 --shape sqrt --json\n"
      "  jme shape --workload mean --rows 1e6 --every 1000 --objective max\n"
      "  jme shape --workload decay:0.999 --steps unbounded");
}

ExitCode ShapeCommand::run() const {
  const Horizon horizon = horizon_.horizon();
  const Objective objective = parse_objective(objective_.value_or("rmse"));
  std::optional<std::size_t> memory;
  if (max_state_vectors_) memory = parse_count("max-state-vectors", *max_state_vectors_, 0);
  const Workload workload = parse_workload(workload_.value_or("mean"), "workload", read_npy_matrix);
  const Shape asked = parse_shape(shape_.value_or("auto"), "shape", read_npy_matrix);
  std::optional<Preparing> preparing(std::in_place, "jme: working out the errors");
  const Shape shape = (asked.kind() == Shape::Kind::automatic
                           ? choose_shape(workload, horizon, objective, state_limit(memory, 1))
                           : asked)
                          .with_parameters(workload, horizon, objective);
  const Filter a = workload.filter(horizon), c = shape.filter(workload, horizon, objective);
  if (!c.is_invertible()) {
    throw InvalidParameter("shape", shape.name(), "invertible (no zero on the diagonal)");
  }
  const ShapeQuality quality =
      shape_quality(a, c, horizon.is_unbounded() ? std::end(lengths)[-1] : a.steps());
  Json result{{"shape", shape.name()},
              {"rmse", quality.rmse},
              {"max", quality.max},
              {"column_norm", quality.column_norm},
              {"state_vectors", quality.state_vectors},
              {"parameters", parameters(shape)}};
  if (horizon.is_unbounded()) {
    Json at = Json::array();
    for (const std::size_t steps : lengths) {
      const ShapeQuality there = shape_quality(a, c, steps);
      at.push_back({{"steps", steps}, {"rmse", there.rmse}, {"max", there.max}});
    }
    result["steps"] = "unbounded";
    result["at"] = at;
  }
  preparing.reset();
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
