#include <cmath>
#include <iterator>

#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/values.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/mechanism/stream_fields.hpp>
#include <jme/sensitivity/batch.hpp>
#include <jme/sensitivity/participation.hpp>
#include <jme/shaping/shape.hpp>

namespace jme {

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

Filter shape_filter(const Shape& shape, const Workload& workload, const Horizon& horizon) {
  const Shape made = shape.kind() == Shape::Kind::automatic
                         ? choose_shape(workload, horizon, Objective::rmse, state_limit({}, 1))
                         : shape;
  Filter filter = made.filter(workload, horizon);
  if (!filter.is_invertible())
    throw InvalidParameter("shape", shape.name(), "invertible (no zero on the diagonal)");
  return filter;
}

}  // namespace

Json answer(const ShapeQuestion& question, const MatrixReader& read_matrix) {
  const Horizon horizon = horizon_of(question.rows, question.steps, question.every);
  const Objective objective = parse_objective(question.objective.value_or("rmse"));
  std::optional<std::size_t> memory;
  if (question.max_state_vectors) memory = parse_count("max-state-vectors", *question.max_state_vectors, 0);
  const Workload workload = parse_workload(question.workload.value_or("mean"), "workload", read_matrix);
  const Shape asked = parse_shape(question.shape.value_or("auto"), "shape", read_matrix);
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
  return result;
}

Json answer(const SensitivityQuestion& question, const MatrixReader& read_matrix) {
  if (!question.dimension) throw InvalidParameter("dimension", "must be given: how many numbers a row has");
  if (!question.norm_bound)
    throw InvalidParameter("norm-bound", "must be given: the largest Euclidean length of a row");
  RowModel rows{.dimension = parse_count("dimension", *question.dimension),
                .norm_bound = NormBound(parse_real("norm-bound", *question.norm_bound))};
  if (question.adjacency) rows.adjacency = parse_adjacency(*question.adjacency);
  const Horizon horizon = horizon_of(question.rows, question.steps, question.every);
  Participation participation;
  if (question.participations) participation.rows = parse_count("participations", *question.participations);
  if (question.separation) participation.separation = parse_count("separation", *question.separation);

  std::optional<double> lambda;
  if (question.lambda) {
    lambda = parse_real("lambda", *question.lambda);
    if (!(*lambda >= 0) || !std::isfinite(*lambda)) {
      throw InvalidParameter("lambda", *question.lambda, "a finite number of at least 0");
    }
  }
  const Squares squares = question.squares ? parse_squares(*question.squares) : Squares::per_example;
  const std::size_t batch = question.batch ? parse_count("batch", *question.batch) : 1;
  if (question.squares && !question.batch) {
    throw InvalidParameter("squares", *question.squares, "used together with batch");
  }
  if (question.batch && horizon.every() > 1)
    throw InvalidParameter("batch", "give either batch or every: each says what a step is");
  const bool squares_of_batch = squares != Squares::per_example && batch > 1;

  const Workload workload = parse_workload(question.workload.value_or("mean"), "workload", read_matrix);
  const Workload workload2 =
      question.workload2 ? parse_workload(*question.workload2, "workload2", read_matrix) : workload;
  const Shape shape = parse_shape(question.shape.value_or("auto"), "shape", read_matrix);
  const Shape shape2 = question.shape2 ? parse_shape(*question.shape2, "shape2", read_matrix) : shape;
  // The workloads must fit the horizon even where the shape does not depend on them.
  static_cast<void>(workload.filter(horizon));
  static_cast<void>(workload2.filter(horizon));
  const Exposure moved = exposure(shape_filter(shape, workload, horizon),
                                  shape_filter(shape2, workload2, horizon), horizon, participation);
  const double free = squares_of_batch ? 0.0 : largest_free_lambda(rows, moved);
  const double weight = lambda.value_or(free);
  const auto sensitivity = [&](double l) { return batch_sensitivity(squares, rows, batch, moved, l); };
  return {{"lambda", weight},
          {"lambda_free", free},
          {"sensitivity", sensitivity(weight)},
          {"sensitivity_first", sensitivity(0)}};
}

PlanScope plan_scope(const RunSettings& settings, const StreamConfig& config) {
  const Asked &method = settings["method"], &balance = settings["balance"], &shape = settings["shape"];
  PlanScope named;
  if (method || balance) named.method = config.method;
  if (shape && config.shape.kind() != Shape::Kind::automatic) named.shape = config.shape;
  return named;
}

Plan plan_of(const RunSettings& settings, const MatrixReader& read_matrix) {
  const StreamConfig config = run_config(settings, read_matrix).stream;
  if (config.dimension == 0) {
    throw InvalidParameter("dimension", "must be given (or columns, or bounds): how many numbers a row has");
  }
  return plan(config, plan_scope(settings, config));
}

}  // namespace jme
