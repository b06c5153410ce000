#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <jme/base/parse.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/data/npy.hpp>
#include <jme/inquiry/budget_question.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/theory/plan.hpp>

#include "budget_table.hpp"
#include "commands.hpp"
#include "field_flags.hpp"
#include "output.hpp"
#include "plan_table.hpp"
#include "progress.hpp"
#include "stream_flags.hpp"
#include "table.hpp"
#include "text_file.hpp"

namespace jme::cli {

using Json = nlohmann::ordered_json;

PlanCommand::PlanCommand(CLI::App& root)
    : app_(root.add_subcommand("plan", "How exact a run would be, before any data is touched")) {
  add_text(*app_, "FILE", file_, "", "The input of the run; it is not opened");
  add_text(*app_, "--config", config_, "FILE", "Settings as a JSON object; flags override them")
      ->group("Input");
  const std::string group = "Expected of the rows (from public knowledge, never from these data)";
  add_text(
      *app_, "--expect-rows", expect_rows_, "N",
      "Rows of the input (default: all that the stream may have); with slots of time the rows of a slot, "
      "or 500/1h")
      ->group(group);
  add_text(*app_, "--expect-slots", expect_slots_, "N",
           "Slots after which the figures hold (default: all of the schedule)")
      ->group(group);
  add_text(*app_, "--expect-per-person", expect_per_person_, "N,..",
           "Rows that a person has where they are limited; 2,20: half of the people have 2, half have 20 "
           "(default: every expected row counts)")
      ->group(group);
  add_text(*app_, "--expect-mean", expect_mean_, "A=X,..",
           "Means of columns (default: anywhere within the bounds; figures are for the worst place)")
      ->group(group);
  add_text(*app_, "--expect-std", expect_std_, "A=X,..",
           "Standard deviations of columns (default: a sixth of the range)")
      ->group(group);
  add_text(*app_, "--target", target_, "A=X,..",
           "In place of --epsilon: find the least epsilon with which |error| of the mean of A in the last "
           "release is at most X in 95% of runs")
      ->group("Question");
  app_->add_flag("--methods", methods_, "Compare methods and noise shapes instead (default without bounds)")
      ->group("Question");
  app_->add_flag("--json", json_, "One JSON object")->group("Question");
  add_fields(*app_, given_, Field::runs);
  kafka_.attach(*app_, "Input");
  const std::string unused = "Of the run, without effect here";
  add_text(*app_, "--output", output_, "FILE", "Is not written")->group(unused);
  report_.attach(*app_, unused);
  app_->footer(
      "Takes the flags of jme run. --epsilon, --rows-per-person and --every may be lists; each combination "
      "is "
      "a line.\n"
      "\nExamples:\n"
      "  jme plan rows.csv --bounds temp=-20:45,co=0:100 --epsilon 0.1,1 --delta 1e-6 --rows 1e5 --every "
      "1000\n"
      "  jme plan rows.csv --bounds temp=-20:45,co=0:100 --target temp=0.1 --delta 1e-6 --rows 1e5 --every "
      "1000\n"
      "  jme plan --bounds temp=34:43 --epsilon 1 --delta 1e-6 --every 1d --steps 7 --expect-rows 500/1h "
      "--rows-per-person 1,3,10 --expect-per-person 2,20\n"
      "\nWith --methods, or without bounds: std: noise on one entry of a step; rmse: expected error of one "
      "released\n"
      "entry; error: expected squared error summed over all releases; state: vectors kept in memory. * marks "
      "the\n"
      "recommended one. --method and --shape restrict the comparison.\n"
      "  jme plan --epsilon 1 --delta 1e-6 --rows 1000 --dimension 10 --norm-bound 1\n"
      "  jme plan --sigma 2 --rows 1e6 --every 1000 --dimension 10 --norm-bound 1 --workload prefix --json\n"
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

RunSettings PlanCommand::settings() const {
  if (!config_) return given_;
  return given_.over(RunSettings::from_json(text_of_file(*config_, "config"), *config_));
}

bool PlanCommand::is_in_units(const RunSettings& settings) const {
  if (methods_) return false;
  return settings["bounds"] || target_ || expect_rows_ || expect_slots_ || expect_per_person_ ||
         expect_mean_ || expect_std_;
}

void PlanCommand::compare_methods(const RunSettings& settings) const {
  KnownColumns known;
  if (const Text& bounds = settings["bounds"]) {
    const std::vector<std::string> columns = bounded_columns(*bounds);
    static_cast<void>(ColumnBounds::parse(*bounds, columns));
    known = {.dimension = columns.size(), .unit_box = true};
  }
  if (const Text& limits = settings["rows_per_person"]; limits && limits->find(',') != std::string::npos) {
    std::optional<Preparing> preparing(std::in_place, "jme: comparing");
    const Json rows = limits_side_by_side(settings, known);
    preparing.reset();
    Output().write(json_ ? json_line(Json{{"limits", rows}, {"advice", advice_on_limits}})
                         : limits_table(rows));
    return;
  }
  const StreamConfig config = stream_config(settings, known, read_npy_matrix);
  tell_unused(given_, settings, config);
  for (const std::string& note : notes_on_budget(config)) print_note(note);
  std::optional<Preparing> preparing(std::in_place, "jme: comparing");
  const Plan result = plan(config, plan_scope(settings, config));
  preparing.reset();
  const Text& given_bounds = settings["bounds"];
  const std::string bounds = given_bounds ? fmt::format("--bounds {} ", *given_bounds) : "";
  const std::string command = fmt::format("jme run FILE {}{}", bounds,
                                          with_choice(settings, result.candidates.at(result.recommended)));
  Json object = plan_json(result);
  object["recommended"]["command"] = command;
  Output().write(json_ ? json_line(object) : plan_table(result) + "Recommended: " + command + '\n');
}

void PlanCommand::answer_in_units(const RunSettings& settings) const {
  std::optional<Preparing> preparing(std::in_place, "jme: planning");
  Json result = answer(BudgetQuestion{.settings = settings,
                                      .target = target_,
                                      .expect_rows = expect_rows_,
                                      .expect_slots = expect_slots_,
                                      .expect_per_person = expect_per_person_,
                                      .expect_mean = expect_mean_,
                                      .expect_std = expect_std_},
                       read_npy_matrix, text_of_file);
  preparing.reset();
  for (Json& line : result["lines"]) {
    RunSettings chosen = settings;
    for (const char* field : {"epsilon", "rows_per_person", "every"}) {
      const auto found = line.find(field);
      if (found == line.end() || found->is_null()) continue;
      if (settings[field] || std::string_view(field) == "epsilon") {
        chosen.set(field,
                   found->is_string() ? found->get<std::string>() : fmt::format("{}", found->get<double>()));
      }
    }
    line["command"] = fmt::format("jme run {}", as_flags(file_.value_or("FILE"), chosen));
  }
  Output().write(json_ ? json_line(result) : budget_table(result));
}

ExitCode PlanCommand::run() const {
  const RunSettings chosen = settings();
  if (is_in_units(chosen)) {
    answer_in_units(chosen);
  } else {
    compare_methods(chosen);
  }
  return ExitCode::ok;
}

}  // namespace jme::cli
