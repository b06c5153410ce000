#include <cmath>
#include <optional>

#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/sensitivity/batch.hpp>
#include <jme/sensitivity/participation.hpp>
#include <jme/shaping/shape.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

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

SensitivityCommand::SensitivityCommand(CLI::App& root)
    : app_(root.add_subcommand("sensitivity", "How far one person can move both moments")) {
  add_text(*app_, "--dimension", dimension_, "D", "Numbers in a row");
  add_text(*app_, "--norm-bound", norm_bound_, "Z", "Largest Euclidean length of a row");
  horizon_.attach(*app_);
  add_text(*app_, "--lambda", lambda_, "L",
           "Weight of the second moment (default: the largest that is free)");
  add_text(*app_, "--workload,--workload1", workload_, "W", workload_help());
  add_text(*app_, "--workload2", workload2_, "W", "The same for the second moment (default: as the first)");
  add_text(*app_, "--shape,--shape1", shape_, "S", shape_help());
  add_text(*app_, "--shape2", shape2_, "S", "The same for the second moment (default: as the first)");
  add_text(*app_, "--adjacency", adjacency_, "A", "replace-one (default) or add-remove");
  add_text(*app_, "--participations", participations_, "P", "Rows one person may contribute (default 1)");
  add_text(*app_, "--separation", separation_, "B",
           "Any two of them are at least this many rows apart (default 1)");
  add_text(*app_, "--batch", batch_, "M", "A step is a training batch of M rows");
  add_text(*app_, "--squares", squares_, "Q",
           "Squares of a batch: per-example (default), batch-mean or paper");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "lambda_free is the largest weight at which the second moment costs the first nothing; it is 0\n"
      "under add-remove and for squares of a batch, and the default is then the first moment alone.\n"
      "\nExamples:\n"
      "  jme sensitivity --dimension 10 --norm-bound 1 --steps 1000 --shape identity\n"
      "  jme sensitivity --dimension 10 --norm-bound 1 --rows 1e6 --every 1000 --workload prefix --json\n"
      "  jme sensitivity --dimension 10 --norm-bound 1 --steps 1 --shape identity --lambda 1 --batch 256 "
      "--squares batch-mean");
}

ExitCode SensitivityCommand::run() const {
  if (!dimension_) throw InvalidParameter("dimension", "must be given: how many numbers a row has");
  if (!norm_bound_)
    throw InvalidParameter("norm-bound", "must be given: the largest Euclidean length of a row");
  RowModel rows{.dimension = parse_count("dimension", *dimension_),
                .norm_bound = NormBound(parse_real("norm-bound", *norm_bound_))};
  if (adjacency_) rows.adjacency = parse_adjacency(*adjacency_);
  const Horizon horizon = horizon_.horizon();
  Participation participation;
  if (participations_) participation.rows = parse_count("participations", *participations_);
  if (separation_) participation.separation = parse_count("separation", *separation_);

  std::optional<double> lambda;
  if (lambda_) {
    lambda = parse_real("lambda", *lambda_);
    if (!(*lambda >= 0) || !std::isfinite(*lambda)) {
      throw InvalidParameter("lambda", *lambda_, "a finite number of at least 0");
    }
  }
  const Squares squares = squares_ ? parse_squares(*squares_) : Squares::per_example;
  const std::size_t batch = batch_ ? parse_count("batch", *batch_) : 1;
  if (squares_ && !batch_) throw InvalidParameter("squares", *squares_, "used together with --batch");
  if (batch_ && horizon.every() > 1)
    throw InvalidParameter("batch", "give either batch or every: each says what a step is");
  const bool squares_of_batch = squares != Squares::per_example && batch > 1;

  const Workload workload = parse_workload(workload_.value_or("mean"), "workload", read_npy_matrix);
  const Workload workload2 =
      workload2_ ? parse_workload(*workload2_, "workload2", read_npy_matrix) : workload;
  const Shape shape = parse_shape(shape_.value_or("auto"), "shape", read_npy_matrix);
  const Shape shape2 = shape2_ ? parse_shape(*shape2_, "shape2", read_npy_matrix) : shape;
  // The workloads must fit the horizon even where the shape does not depend on them.
  static_cast<void>(workload.filter(horizon));
  static_cast<void>(workload2.filter(horizon));
  std::optional<Preparing> preparing(std::in_place, "jme: adding up");
  const Exposure moved = exposure(shape_filter(shape, workload, horizon),
                                  shape_filter(shape2, workload2, horizon), horizon, participation);

  const double free = squares_of_batch ? 0.0 : largest_free_lambda(rows, moved);
  const double weight = lambda.value_or(free);
  const auto sensitivity = [&](double l) { return batch_sensitivity(squares, rows, batch, moved, l); };
  preparing.reset();
  const nlohmann::ordered_json result{{"lambda", weight},
                                      {"lambda_free", free},
                                      {"sensitivity", sensitivity(weight)},
                                      {"sensitivity_first", sensitivity(0)}};
  if (!lambda && free == 0) {
    print_note("no weight is free here, so this is the first moment alone; give --lambda for both");
  }
  if (squares == Squares::paper && batch > 1) {
    print_warning(
        "the square of a sum of rows has this sensitivity, not that of a single row; noise for a single row "
        "does not make it private");
  }
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
