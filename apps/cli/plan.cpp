#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <jme/columns/bounds.hpp>
#include <jme/data/npy.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/theory/plan.hpp>

#include "commands.hpp"
#include "field_flags.hpp"
#include "output.hpp"
#include "plan_table.hpp"
#include "progress.hpp"
#include "stream_flags.hpp"
#include "table.hpp"

namespace jme::cli {

PlanCommand::PlanCommand(CLI::App& root)
    : app_(root.add_subcommand("plan", "Compare methods and noise shapes before touching any data")) {
  add_stream_fields(*app_, given_);
  add_text(*app_, "--bounds", bounds_, "A=LO:HI,..",
           "As for run: gives the dimension and the norm bound, sqrt(dimension)")
      ->group("Rows (public)");
  add_field(*app_, given_, "missing");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "std: noise on one entry of a step; rmse: expected error of one released entry; error: expected\n"
      "squared error summed over all releases; state: vectors kept in memory. * marks the recommended one.\n"
      "--method and --shape restrict the comparison.\n"
      "\nExamples:\n"
      "  jme plan --epsilon 1 --delta 1e-6 --rows 1000 --dimension 10 --norm-bound 1\n"
      "  jme plan --epsilon 1 --delta 1e-6 --rows 1e5 --every 100 --bounds temp=-20:45,co=0:100\n"
      "  jme plan --sigma 2 --rows 1e6 --every 1000 --dimension 10 --norm-bound 1 --workload prefix --json\n"
      "  jme plan --sigma 2 --rows 1000 --dimension 3 --norm-bound 1 --method jme --shape blt:4");
}

ExitCode PlanCommand::run() const {
  KnownColumns known;
  if (bounds_) {
    const std::vector<std::string> columns = bounded_columns(*bounds_);
    static_cast<void>(ColumnBounds::parse(*bounds_, columns));
    known = {.dimension = columns.size(), .unit_box = true};
  }
  const StreamConfig config = stream_config(given_, known, read_npy_matrix);
  tell_unused(given_, given_, config);
  std::optional<Preparing> preparing(std::in_place, "jme: comparing");
  const Plan result = plan(config, plan_scope(given_, config));
  preparing.reset();
  const std::string bounds = bounds_ ? fmt::format("--bounds {} ", *bounds_) : "";
  const std::string command =
      fmt::format("jme run FILE {}{}", bounds, with_choice(given_, result.candidates.at(result.recommended)));
  nlohmann::ordered_json object = plan_json(result);
  object["recommended"]["command"] = command;
  Output().write(json_ ? json_line(object) : plan_table(result) + "Recommended: " + command + '\n');
  return ExitCode::ok;
}

}  // namespace jme::cli
