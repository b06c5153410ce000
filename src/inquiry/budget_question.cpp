#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/inquiry/budget_question.hpp>
#include <jme/models/divisors.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/theory/half_interval.hpp>

#include "inquiry/expectation.hpp"
#include "inquiry/half_intervals.hpp"
#include "inquiry/least_epsilon.hpp"
#include "mechanism/mechanism_family.hpp"

namespace jme {

namespace {

using Json = nlohmann::ordered_json;
using inquiry::Column;
using inquiry::Rows;

constexpr double missed = 0.05;

std::vector<std::string> choices(const RunSettings& settings, std::string_view field) {
  const auto& text = settings[field];
  if (!text) return {""};
  std::string flag(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return parse_list(flag, *text);
}

RunSettings with(RunSettings settings, std::string_view field, const std::string& text) {
  if (!text.empty()) settings.set(field, text);
  return settings;
}

/// Settings that name no person column and no folder of state: neither plays a part here.
RunSettings without_places(const RunSettings& given) {
  RunSettings settings;
  for (const RunField& field : run_fields()) {
    const bool is_place = field.name == "state" || field.name == "source" || field.name == "stream" ||
                          field.name == "max_mu" || field.name == "leave_open" ||
                          field.name == "commit_interval";
    if (!is_place && given[field.name]) settings.set(field.name, *given[field.name]);
  }
  if (settings["rows_per_person"] && !settings["person"]) settings.set("person", "person");
  return settings;
}

std::vector<std::string> numbered(std::size_t dimension) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) names.push_back(std::to_string(i));
  return names;
}

RunConfig checked(RunConfig config, const StreamCheck& check) {
  if (config.search) {
    throw InvalidParameter("bounds", "auto", "ranges that are known: half-intervals are in their units");
  }
  if (config.stream.dimension == 0) {
    throw InvalidParameter("bounds", "must be given (or dimension, or columns, with norm-bound)");
  }
  if (config.columns.empty()) config.columns = numbered(config.stream.dimension);
  if (check) check(config.stream);
  return config;
}

/// One way to limit rows and to release, at any budget.
class Combination {
 public:
  Combination(const PreparedRun& run, const BudgetQuestion& question)
      : run_(&run),
        columns_(inquiry::columns_of(run, question)),
        rows_(inquiry::rows_of(run, question)),
        norms_(release_norms(run.mechanism(), rows_.places)) {}

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  [[nodiscard]] ExpectedRelease release(const Mechanism& mechanism) const {
    const Horizon& horizon = mechanism.horizon();
    const std::size_t step = (rows_.places - 1) / horizon.every();
    return {.noise = sum_noise(mechanism, norms_),
            .weight = mechanism.workload_first().weight_sum(step, rows_.places, horizon) * rows_.per_place *
                      rows_.share,
            .known_above = known_above};
  }
  [[nodiscard]] Mechanism mechanism(const Budget& budget) {
    StreamConfig config = run_->mechanism().config();
    config.budget = budget;
    return Mechanism(config, family_);
  }

  [[nodiscard]] Json line(const Mechanism& mechanism) const {
    const ExpectedRelease expected = release(mechanism);
    const bool bounded = !run_->bounds().is_none();
    Json halves = inquiry::half_intervals(expected, columns_, bounded);
    Json why = inquiry::reasons(halves, expected, mechanism, bounded);
    const std::size_t every = mechanism.horizon().every();
    const Budget& budget = mechanism.config().budget;
    return {{budget.sigma ? "sigma" : "epsilon", budget.sigma ? *budget.sigma : *budget.epsilon},
            {"releases", (rows_.places + every - 1) / every},
            {"rows", rows_.counting()},
            {"half_interval", std::move(halves)},
            {"reasons", std::move(why)}};
  }

 private:
  const PreparedRun* run_;
  std::vector<Column> columns_;
  Rows rows_;
  ReleaseNorms norms_;
  MechanismFamily family_;
};

/// The budget that misses each target in 5% of runs at most.
Json least_budget(Combination& combination, const BudgetQuestion& question, double delta) {
  struct Target {
    std::vector<double> means;
    double half;
  };
  std::vector<Target> targets;
  for (const inquiry::Named& named : inquiry::parse_named("target", *question.target)) {
    const Column& column = combination.columns()[inquiry::place_of(combination.columns(), "target", named)];
    if (!(named.value > 0)) throw InvalidParameter("target", fmt::format("{} must be above 0", named.column));
    targets.push_back({.means = column.means(std::nullopt), .half = named.value / column.half_width});
  }
  const auto release_at = [&](double epsilon) -> std::optional<ExpectedRelease> {
    try {
      return combination.release(combination.mechanism({.epsilon = epsilon, .delta = delta}));
    } catch (const InvalidParameter&) {
      if (epsilon == 1) throw;
      return std::nullopt;  // so much or so little noise is refused
    }
  };
  const auto meets = [&](double epsilon) {
    const std::optional<ExpectedRelease> release = release_at(epsilon);
    return release && std::ranges::all_of(targets, [&](const Target& target) {
             return std::ranges::all_of(target.means, [&](double mean) {
               return probability_of_miss(*release, mean, target.half) <= missed;
             });
           });
  };
  const std::optional<double> epsilon = inquiry::least_epsilon(meets);
  if (!epsilon) {
    return {{"epsilon", nullptr},
            {"reasons", {{"epsilon", "no epsilon that a run accepts meets the target: more rows would"}}}};
  }
  return combination.line(combination.mechanism({.epsilon = *epsilon, .delta = delta}));
}

Json expected_json(const BudgetQuestion& question) {
  Json expected = Json::object();
  const auto put = [&](const char* name, const Asked& asked) {
    if (asked) expected[name] = *asked;
  };
  put("rows", question.expect_rows);
  put("slots", question.expect_slots);
  put("per_person", question.expect_per_person);
  put("mean", question.expect_mean);
  put("std", question.expect_std);
  return expected;
}

/// Which of the settings are lists, and what must be said for lists.
struct Choices {
  std::vector<std::string> limits, lengths, budgets;

  Choices(const RunSettings& settings, const BudgetQuestion& question)
      : limits(choices(settings, "rows_per_person")),
        lengths(choices(settings, "every")),
        budgets(question.target ? std::vector<std::string>{"1"} : choices(settings, "epsilon")) {
    if (question.target && (settings["epsilon"] || settings["sigma"])) {
      throw InvalidParameter("target", "is given in place of epsilon: it finds one");
    }
    const auto& expected = question.expect_rows;
    if (lengths.size() > 1 && expected && expected->find('/') == std::string::npos &&
        has_clock(with(settings, "every", lengths.front()))) {
      throw InvalidParameter("expect-rows", *expected,
                             "so many in a length of time, such as 500/1h, where several slots are compared");
    }
  }
};

Json names_of(const Combination& combination) {
  Json names = Json::array();
  for (const Column& column : combination.columns()) names.push_back(column.name);
  return names;
}

}  // namespace

Json answer(const PreparedRun& run, const BudgetQuestion& question) {
  Combination combination(run, question);
  const Budget& budget = run.mechanism().config().budget;
  if (question.target && !budget.delta) throw InvalidParameter("target", "needs a delta, and no sigma");
  Json line = question.target ? least_budget(combination, question, *budget.delta)
                              : combination.line(run.mechanism());
  return {
      {"columns", names_of(combination)}, {"expected", expected_json(question)}, {"line", std::move(line)}};
}

Json answer(const BudgetQuestion& question, const MatrixReader& read_matrix, const TextReader& read_text,
            const StreamCheck& check) {
  const RunSettings settings = without_places(question.settings);
  const Choices of(settings, question);
  Json lines = Json::array(), names = Json::array();
  for (const std::string& limit : of.limits) {
    for (const std::string& every : of.lengths) {
      const RunSettings chosen = with(with(settings, "rows_per_person", limit), "every", every);
      const auto config_at = [&](const std::string& epsilon) {
        return run_config(with(chosen, "epsilon", epsilon), read_matrix, read_text);
      };
      const PreparedRun run(checked(config_at(of.budgets.front()), check));
      Combination combination(run, question);
      names = names_of(combination);
      for (const std::string& epsilon : of.budgets) {
        Json placed = Json::object();
        if (const auto& rows = chosen["rows_per_person"]) placed["rows_per_person"] = *rows;
        placed["every"] = chosen["every"].value_or("1");
        const Budget budget = config_at(epsilon).stream.budget;
        placed.update(question.target ? least_budget(combination, question, *budget.delta)
                                      : combination.line(combination.mechanism(budget)));
        lines.push_back(std::move(placed));
      }
    }
  }
  return {{"columns", std::move(names)}, {"expected", expected_json(question)}, {"lines", std::move(lines)}};
}

}  // namespace jme
