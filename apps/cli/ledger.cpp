#include <cmath>

#include <fmt/format.h>

#include <jme/base/values.hpp>
#include <jme/inquiry/ledger_json.hpp>
#include <jme/store/ledger.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

std::string condition(const LedgerEntry& entry) {
  const std::string word = condition_of(entry);
  return word == "problem" ? "PROBLEM" : word;
}

std::string budget(const LedgerEntry& entry) {
  if (entry.insecure) return "none (test seed)";
  if (entry.epsilon) return fmt::format("epsilon {:g}, delta {:g}", *entry.epsilon, *entry.delta);
  return fmt::format("mu {:.4g}", entry.mu);
}

std::string unit_words(const SourceTotal& total) {
  if (total.across_units)
    return "one row that is there or counts as zero; the streams promise different units";
  const std::string& window = total.unit.window;
  const std::string in_one = window.empty()
                                 ? ""
                                 : fmt::format(" that {} in one window of {}",
                                               total.unit.by_arrival ? "arrive" : "happened", window);
  if (total.across_limits) {
    return fmt::format(
        "all rows of a person{} that are there or absent; the streams' limits differ, {} at most", in_one,
        total.unit.participations);
  }
  std::string words =
      total.unit.per_person
          ? fmt::format("all rows of a person{} ({} count, by ids)", in_one, total.unit.participations)
      : total.unit.participations == 1 ? "one row per person"
                                       : fmt::format("at most {} rows per person", total.unit.participations);
  if (total.unit.participations > 1 && total.unit.separation > 1) {
    words += fmt::format(", {} apart", total.unit.separation);
  }
  return total.unit.adjacency + ", " + words;
}

std::string total_words(const SourceTotal& total) {
  std::string words =
      fmt::format("{}: {} stream{}, ", total.source, total.streams, total.streams == 1 ? "" : "s");
  if (total.insecure) return words + "no protection: a test seed was used\n";
  // The stated guarantee may be weaker than the true one, never stronger.
  const auto up = [](double value) { return std::ceil(value * 1e4 - 1e-7) / 1e4; };
  words += fmt::format("mu = {:.4f}, ", up(total.mu));
  words += std::isfinite(total.epsilon)
               ? fmt::format("epsilon = {:.4f} at delta = {:g}", up(total.epsilon), total.delta)
               : fmt::format("no epsilon at delta = {:g}", total.delta);
  return words + " (" + unit_words(total) + ")\n";
}

std::string ledger_text(const Ledger& ledger, const std::vector<SourceTotal>& totals) {
  if (ledger.entries().empty()) return "No streams.\n";
  std::vector<std::vector<std::string>> rows{
      {"source", "stream", "budget", "rows", "of", "releases", "started", "last commit", "condition"}};
  for (const LedgerEntry& entry : ledger.entries()) {
    if (entry.settings.empty()) {
      rows.push_back({entry.file, "", "unknown", "", "", "", "", "", condition(entry)});
      continue;
    }
    rows.push_back({entry.source, entry.stream.empty() ? "-" : entry.stream, budget(entry),
                    fmt::format("{}{}", entry.rows, entry.has_slots ? " slots" : ""),
                    entry.horizon ? fmt::format("{}", *entry.horizon) : "unbounded",
                    fmt::format("{}", entry.releases), utc_text(entry.created), utc_text(entry.updated),
                    condition(entry)});
  }
  using enum Align;
  std::string result = aligned(rows, {left, left, left, right, right, right, left, left, left});
  result += "\nSpent in all:\n";
  for (const SourceTotal& total : totals) result += "  " + total_words(total);
  if (const std::size_t unknown = ledger.unknown(); unknown > 0) {
    result += fmt::format(
        "  Incomplete: {} damaged stream{} may have spent on any source, which no total above includes.\n",
        unknown, unknown == 1 ? "" : "s");
  }
  return result;
}

}  // namespace

LedgerCommand::LedgerCommand(CLI::App& root)
    : app_(root.add_subcommand("ledger", "The streams of a state folder and what they spent together")) {
  add_text(*app_, "DIR", directory_, "", "Folder given to jme run --state")->required();
  add_text(*app_, "--delta", delta_, "D",
           "Where totals are stated (default: the smallest delta of the source's streams, or 1e-6)");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "Every stream is charged in full from its first row on. Streams of one source compose exactly as\n"
      "Gaussian mechanisms, mu = sqrt(sum of mu^2); the samplers' distance from a Gaussian is included.\n"
      "The exit code is 5 where a stream is damaged, an old copy, or has lost its key.\n"
      "\nExamples:\n"
      "  d=$(mktemp -d); seq 1 9 | jme run --no-header --bounds 1=0:10 --epsilon 1 --delta 1e-6 --rows 9 "
      "--state "
      "$d >$d/out; jme ledger $d");
}

ExitCode LedgerCommand::run() const {
  std::optional<double> delta;
  if (delta_) delta = Delta(parse_real("delta", *delta_));
  const Ledger ledger = Ledger::read(*directory_, LedgerCheck::everything);
  if (json_) {
    Output().write(json_line(ledger_json(ledger, delta)));
  } else {
    Output().write(ledger_text(ledger, ledger.totals(delta)));
  }
  bool sound = true;
  for (const LedgerEntry& entry : ledger.entries()) {
    if (entry.problem.empty()) continue;
    print_warning(fmt::format("{}: {}", entry.file, entry.problem));
    sound = false;
  }
  return sound ? ExitCode::ok : ExitCode::state;
}

}  // namespace jme::cli
