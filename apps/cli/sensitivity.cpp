#include <optional>

#include <jme/data/npy.hpp>
#include <jme/inquiry/questions.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace jme::cli {

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
  std::optional<Preparing> preparing(std::in_place, "jme: adding up");
  const nlohmann::ordered_json result = answer(SensitivityQuestion{.dimension = dimension_,
                                                                   .norm_bound = norm_bound_,
                                                                   .rows = horizon_.rows,
                                                                   .steps = horizon_.steps,
                                                                   .every = horizon_.every,
                                                                   .lambda = lambda_,
                                                                   .workload = workload_,
                                                                   .workload2 = workload2_,
                                                                   .shape = shape_,
                                                                   .shape2 = shape2_,
                                                                   .adjacency = adjacency_,
                                                                   .participations = participations_,
                                                                   .separation = separation_,
                                                                   .batch = batch_,
                                                                   .squares = squares_},
                                               read_npy_matrix);
  preparing.reset();
  if (!lambda_ && result["lambda_free"] == 0) {
    print_note("no weight is free here, so this is the first moment alone; give --lambda for both");
  }
  if (squares_ == "paper" && parse_count("batch", *batch_) > 1) {
    print_warning(
        "the square of a sum of rows has this sensitivity, not that of a single row; noise for a single row "
        "does not make it private");
  }
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
