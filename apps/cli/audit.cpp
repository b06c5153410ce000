#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <jme/audit/pair_distance.hpp>
#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>
#include <jme/mechanism/moved_rows.hpp>
#include <jme/pipeline/configure.hpp>

#include "audited_input.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

constexpr const char* raw_data =
    "RAW DATA: computed from the rows without protection; for the auditor alone, never to be published";

/// How far the change may move the releases, and why.
struct Limit {
  double mu;
  std::string reason;
};

Limit limit_of(const Mechanism& mechanism, const AuditedChange& change) {
  const StreamConfig& config = mechanism.config();
  const double mu = mechanism.mu();
  if (change.moves_time) {
    return {mu_of_moved_rows(mechanism), "one row that is also at another time (mu_of_moved_row)"};
  }
  if (change.person) {
    if (const auto windows = mu_of_all_windows(mechanism)) {
      return {*windows, "all rows of a person in all windows (mu_of_all_windows)"};
    }
    if (!config.persons_are_limited) {
      throw InvalidParameter("change-person", "needs a run that limits the rows of a person by ids (person)");
    }
    if (config.adjacency == Adjacency::replace_one || change.removes) {
      return {mu, "all rows of a person (mu)"};
    }
    return {2 * mu,
            "all rows of a person out and other rows in: two changes of the adjacency add-remove (2 mu)"};
  }
  if (change.changes_person) return {2 * mu, "a row of one person becomes a row of another (2 mu)"};
  if (config.adjacency == Adjacency::replace_one) return {mu, "one row replaced by another (mu)"};
  if (config.slot_seconds) {
    return {std::max(mu, mu_of_moved_rows(mechanism)), "one row replaced within its slot (mu_of_moved_row)"};
  }
  return {2 * mu, "a row out and another in: two changes of the adjacency add-remove (2 mu)"};
}

nlohmann::ordered_json verdict(const Mechanism& mechanism, const AuditedRun& before, const AuditedRun& after,
                               const AuditedChange& change) {
  const PairDistance distance = pair_distance(mechanism, before, after);
  const Limit limit = limit_of(mechanism, change);
  const double known = largest_known_distance(mechanism);
  const NoiseSize noise = noise_size(mechanism, before);
  // Both sides add the same numbers in another order.
  constexpr double agreement = 1e-9;
  std::vector<std::string> faults;
  if (!(std::abs(distance.found - distance.theory) <= agreement * std::max(1.0, distance.theory))) {
    faults.emplace_back("the distance that was found differs from that of theory");
  }
  if (!(distance.found <= limit.mu * (1 + agreement))) {
    faults.push_back(fmt::format("the distance that was found is above {:.9g}: {}", limit.mu, limit.reason));
  }
  if (!(known <= mechanism.mu() * (1 + agreement))) {
    faults.emplace_back("rows are known that are farther apart than the stated mu");
  }
  if (!noise.is_as_stated()) faults.emplace_back("the noise is not as large as stated");
  return {{"raw_data", raw_data},
          {"changed", change.words},
          {"changed_blocks", distance.changed_blocks},
          {"distance_found", distance.found},
          {"distance_by_theory", distance.theory},
          {"limit", limit.mu},
          {"limit_is", limit.reason},
          {"mu", mechanism.mu()},
          {"largest_known_distance", known},
          {"noise", {{"relative", noise.relative}, {"tolerance", noise.tolerance}, {"draws", noise.draws}}},
          {"faults", faults},
          {"passed", faults.empty()}};
}

std::string text_of(const nlohmann::ordered_json& result) {
  std::string text = fmt::format("{}\n\n", raw_data);
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<38}{}\n", name, value);
  };
  const auto number = [&](const char* key) { return fmt::format("{:.12g}", result[key].get<double>()); };
  line("changed", result["changed"].get<std::string>());
  line("blocks whose sums changed", fmt::format("{}", result["changed_blocks"].get<std::size_t>()));
  line("distance found", number("distance_found"));
  line("distance by theory", number("distance_by_theory"));
  line("limit", number("limit") + ", for " + result["limit_is"].get<std::string>());
  line("stated mu", number("mu"));
  line("largest known distance of two rows", number("largest_known_distance"));
  line("noise relative to what is stated",
       fmt::format("{:.4f}, in [1 -+ {:.4f}] of {} draws", result["noise"]["relative"].get<double>(),
                   result["noise"]["tolerance"].get<double>(), result["noise"]["draws"].get<std::size_t>()));
  for (const auto& fault : result["faults"]) line("FAULT", fault.get<std::string>());
  return text + (result["passed"].get<bool>() ? "\npassed\n" : "\nFAILED\n");
}

}  // namespace

AuditCommand::AuditCommand(CLI::App& root)
    : app_(root.add_subcommand("audit", "Runs two versions of the data and checks how far apart they are")) {
  add_text(*app_, "ROWS", file_, "", "The rows, as jme run reads them")->required();
  add_text(*app_, "--config", config_, "FILE", "Settings as a JSON object (jme run --print-config)")
      ->required();
  add_text(*app_, "--change", change_, "N", "Change row N, counted from 1");
  add_text(*app_, "--change-person", person_, "ID", "Change all rows of this person");
  add_text(
      *app_, "--with", with_, "FILE",
      "What takes their place, in the format of ROWS: one row for --change, the rows of another person or "
      "nothing (they are removed) for --change-person");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "Both versions go through the real pipeline with one test seed, so that their noise is the same. The\n"
      "distance of what they release, in standard deviations of the noise, must be what theory says of "
      "these\n"
      "two inputs, and at most the stated mu. The exit code is 6 where it is not.\n"
      "Its output is RAW DATA: never publish it. A state folder is refused: nothing is spent and nothing "
      "stored.\n"
      "\nExamples:\n"
      "  d=$(mktemp -d); seq 1 90 >$d/rows; echo 1 >$d/other; jme run --no-header --bounds 1=0:100 --epsilon "
      "1 "
      "--delta 1e-6 --rows 90 --every 10 --print-config >$d/run.json; jme audit $d/rows --config $d/run.json "
      "--change 17 --with $d/other");
}

ExitCode AuditCommand::run() const {
  if (change_.has_value() == person_.has_value()) {
    throw InvalidParameter("change", "must be given, or change-person, and not both");
  }
  if (change_ && !with_)
    throw InvalidParameter("with", "must be given with change: the row that takes its place");
  const AuditedInput input(*file_, *config_, read_npy_matrix);
  const AuditedChange change = input.change({.row = change_, .person = person_, .with = with_});
  const AuditedRun before = input.run_as_it_is(), after = input.run_changed(change);
  const nlohmann::ordered_json result = verdict(input.mechanism(), before, after, change);
  Output().write(json_ ? json_line(result) : text_of(result));
  return result["passed"].get<bool>() ? ExitCode::ok : ExitCode::audit;
}

}  // namespace jme::cli
