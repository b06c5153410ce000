#include <optional>

#include <jme/data/npy.hpp>
#include <jme/inquiry/questions.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace jme::cli {

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
  std::optional<Preparing> preparing(std::in_place, "jme: working out the errors");
  const nlohmann::ordered_json result = answer(ShapeQuestion{.rows = horizon_.rows,
                                                             .steps = horizon_.steps,
                                                             .every = horizon_.every,
                                                             .workload = workload_,
                                                             .shape = shape_,
                                                             .objective = objective_,
                                                             .max_state_vectors = max_state_vectors_},
                                               read_npy_matrix);
  preparing.reset();
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
