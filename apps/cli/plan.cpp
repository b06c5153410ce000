#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <jme/base/parse.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/data/npy.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/theory/plan.hpp>

#include "commands.hpp"
#include "field_flags.hpp"
#include "output.hpp"
#include "plan_table.hpp"
#include "progress.hpp"
#include "stream_flags.hpp"
#include "table.hpp"

namespace jme::cli {

using Json = nlohmann::ordered_json;

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
      "  jme plan --epsilon 1 --delta 1e-6 --rows 1e5 --every 100 --bounds temp=-20:45,co=0:100 "
      "--rows-per-person 1,3,10,30\n"
      "  jme plan --sigma 2 --rows 1000 --dimension 3 --norm-bound 1 --method jme --shape blt:4");
}

namespace {

/// Limits of rows per person side by side: what each would cost.
Json limits_side_by_side(const RunSettings& given, const KnownColumns& known) {
  Json rows = Json::array();
  for (const std::string& limit : parse_list("rows-per-person", *given["rows_per_person"])) {
    RunSettings settings = given;
    settings.set("rows_per_person", limit);
    const StreamConfig config = stream_config(settings, known, read_npy_matrix);
    const Plan result = plan(config, plan_scope(settings, config));
    const PlanCandidate& best = result.candidates.at(result.recommended);
    rows.push_back(
        {{"rows_per_person", config.participation.windows ? Json(limit) : Json(config.participation.rows)},
         {"method", name(best.method)},
         {"shape", best.shape.name()},
         {"std_first", best.noise.std_first},
         {"rmse_late", best.rmse_late.value_or(best.rmse_first)},
         {"command", with_choice(settings, best)}});
  }
  return rows;
}

constexpr const char* advice_on_limits =
    "How to choose: noise on a mean goes as P / (rows that count). Where everybody has at least P rows, P "
    "rows "
    "count of each, and any P gives the same noise; where most have few, a large P costs noise and keeps few "
    "more rows. Take P near the median number of rows that a person has, from what is known about such data, "
    "never from these data.";

std::string limits_table(const Json& limits) {
  std::vector<std::vector<std::string>> rows{
      {"rows-per-person", "method", "shape", "std_first", "rmse_late"}};
  for (const Json& limit : limits) {
    const Json& count = limit["rows_per_person"];
    rows.push_back({count.is_string() ? count.get<std::string>() : count.dump(),
                    limit["method"].get<std::string>(), limit["shape"].get<std::string>(),
                    fmt::format("{:.5g}", limit["std_first"].get<double>()),
                    fmt::format("{:.5g}", limit["rmse_late"].get<double>())});
  }
  using enum Align;
  return aligned(rows, {right, left, left, right, right}) +
         "\nrmse_late: error of the first moment if every row counts, over releases of at least 10 P rows "
         "(over all, where\nthe rows of a person fit into one release; with slots of time, as if one row "
         "came "
         "in each).\n\n" +
         wrapped({advice_on_limits}, 100);
}

}  // namespace

ExitCode PlanCommand::run() const {
  KnownColumns known;
  if (bounds_) {
    const std::vector<std::string> columns = bounded_columns(*bounds_);
    static_cast<void>(ColumnBounds::parse(*bounds_, columns));
    known = {.dimension = columns.size(), .unit_box = true};
  }
  if (const Text& limits = given_["rows_per_person"]; limits && limits->find(',') != std::string::npos) {
    std::optional<Preparing> preparing(std::in_place, "jme: comparing");
    const Json rows = limits_side_by_side(given_, known);
    preparing.reset();
    Output().write(json_ ? json_line(Json{{"limits", rows}, {"advice", advice_on_limits}})
                         : limits_table(rows));
    return ExitCode::ok;
  }
  const StreamConfig config = stream_config(given_, known, read_npy_matrix);
  tell_unused(given_, given_, config);
  for (const std::string& note : notes_on_budget(config)) print_note(note);
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
