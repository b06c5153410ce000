#include <chrono>
#include <cstdio>

#include <experiments/reproduction.hpp>
#include <experiments/training_results.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/version.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

using experiments::Outcome;

/// "[3/11] density ... 41%" on a terminal, redrawn; elsewhere one line when an item ends.
class ItemProgress {
 public:
  explicit ItemProgress(std::size_t items) : items_(items), redraws_(::isatty(STDERR_FILENO) == 1) {}

  void begin(const experiments::Item& item, std::size_t place) {
    label_ = fmt::format("[{}/{}] {}", place + 1, items_, item.name);
    update(0);
  }
  void update(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (!redraws_ || (fraction > 0 && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    fmt::print(stderr, "\r{} {:3.0f}%", label_, 100 * fraction);
    std::fflush(stderr);
  }
  void end(const Outcome& outcome) {
    fmt::print(stderr, "{}{} {}\n", redraws_ ? "\r" : "", label_,
               outcome.kept ? "kept from an earlier run" : fmt::format("{:.1f} s", outcome.finished.seconds));
  }

 private:
  std::size_t items_;
  bool redraws_;
  std::string label_;
  std::chrono::steady_clock::time_point last_{};
};

std::string list_text() {
  std::vector<std::vector<std::string>> rows;
  for (const experiments::Item& item : experiments::items())
    rows.push_back({std::string(item.name), std::string(item.subject)});
  return aligned(rows, {});
}

std::string verdict_lines(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    text += fmt::format("{}: {}\n", outcome.item->name, outcome.finished.figure.title);
    for (const experiments::Claim& claim : outcome.finished.figure.claims) {
      text += fmt::format("  {:<10} {}{}\n             {}\n", name(claim.verdict),
                          claim.from_paper ? "" : "(ours) ", claim.statement, claim.found);
    }
  }
  return text;
}

nlohmann::ordered_json summary(const std::vector<Outcome>& outcomes, const std::string& page) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) {
    nlohmann::ordered_json claims = nlohmann::ordered_json::array();
    for (const experiments::Claim& claim : outcome.finished.figure.claims) {
      claims.push_back({{"claim", claim.statement},
                        {"from_paper", claim.from_paper},
                        {"verdict", name(claim.verdict)},
                        {"found", claim.found}});
    }
    items.push_back({{"name", outcome.item->name},
                     {"kept", outcome.kept},
                     {"seconds", outcome.finished.seconds},
                     {"claims", std::move(claims)}});
  }
  return {{"page", page}, {"items", std::move(items)}};
}

}  // namespace

ReproduceCommand::ReproduceCommand(CLI::App& root)
    : app_(root.add_subcommand("reproduce", "The paper's figures and tables, recomputed, with verdicts")) {
  app_->add_option("NAME", name_, "Which item (see --list), or all (default)");
  add_text(*app_, "--out", out_, "DIR", "Folder to write to (default reproduction)");
  app_->add_flag("--quick", quick_, "Fewer simulated runs: under two minutes for all");
  add_text(*app_, "--seed", seed_, "N", "Seed of the simulations (default 1)");
  add_text(*app_, "--threads", threads_, "N", "Threads of the simulations (default 2)");
  add_text(*app_, "--training", training_, "DIR",
           "What jme-train reproduce wrote, for its tables (default out/train, where it writes by default)");
  app_->add_flag("--fresh", fresh_, "Compute again what is finished already");
  app_->add_flag("--list", list_, "List the items, and stop");
  app_->add_flag("--json", json_, "One JSON object with all verdicts");
  app_->footer(
      "Writes DIR/index.html, and for every chart an SVG and a CSV. A finished item is kept: a run that was\n"
      "interrupted goes on where it stopped. Data are made up and seeds known, so nothing here is secret.\n"
      "All of it:  jme reproduce all --out paper\n"
      "\nExamples:\n"
      "  jme reproduce --list\n"
      "  jme reproduce workloads --out paper --quick");
}

ExitCode ReproduceCommand::run() const {
  if (list_) {
    Output().write(list_text());
    return ExitCode::ok;
  }
  experiments::Reproduction request{.folder = out_.value_or("reproduction"), .items = {}, .effort = {}};
  if (name_.empty() || name_ == "all") {
    for (const experiments::Item& item : experiments::items()) request.items.push_back(&item);
  } else {
    request.items.push_back(&experiments::item_called(name_));
  }
  request.effort.quick = quick_;
  request.effort.seed = seed_ ? parse_count("seed", *seed_, 0) : 1;
  request.effort.threads = threads_ ? static_cast<unsigned>(parse_count("threads", *threads_)) : 2;
  request.effort.training_results = training_.value_or("out/train");
  if (training_ && !std::filesystem::exists(experiments::training_file(*training_)))
    throw InvalidParameter("training", *training_, "the folder that jme-train reproduce --out wrote to");
  request.fresh = fresh_;
  request.version = version;
  ItemProgress progress(request.items.size());
  request.begins = [&](const experiments::Item& item, std::size_t place) { progress.begin(item, place); };
  request.effort.progress = [&](double fraction) { progress.update(fraction); };
  request.ends = [&](const Outcome& outcome) { progress.end(outcome); };

  const auto start = std::chrono::steady_clock::now();
  const std::vector<Outcome> outcomes = experiments::reproduce(request);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string page = (request.folder / "index.html").string();
  Output().write(json_ ? json_line(summary(outcomes, page)) : verdict_lines(outcomes) + page + '\n');
  fmt::print(stderr, "{} of {} items computed in {:.1f} s\n",
             std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& one) { return !one.kept; }),
             outcomes.size(), seconds);
  return ExitCode::ok;
}

}  // namespace jme::cli
