#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "checkpoint.hpp"
#include "commands.hpp"
#include "flag_checks.hpp"
#include "paper_config.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "stop_flag.hpp"

namespace jme::train {
namespace {

std::string title(const PaperSetting& setting) {
  return fmt::format("batch {}, sigma {}", setting.batch, setting.sigma);
}

/// One network trained by one method.
struct Task {
  const PaperSetting* setting;
  const PaperLine* line;
  BatchMethod method;
  std::uint64_t seed;

  [[nodiscard]] std::string path(const std::string& out) const {
    return fmt::format("{}/{}/{}-{}", out, setting->name, name(method), seed);
  }
};

struct Variant {
  const PaperLine* line;
  BatchMethod method;
};

/// The paper's four methods, with JME with per-example squares after JME as printed.
std::vector<Variant> variants(const PaperSetting& setting) {
  std::vector<Variant> all;
  for (const PaperLine& line : setting.lines) {
    all.push_back({&line, parse_batch_method(line.method)});
    if (all.back().method == BatchMethod::jme_paper) all.push_back({&line, BatchMethod::jme});
  }
  return all;
}

/// Whether a run uses all of the paper's data set. `about`: what about() said of the run.
bool is_papers(const nlohmann::json& about) {
  return about.at("dataset") == "cifar10" && about.at("examples") == 50'000;
}

std::string data_of(const nlohmann::json& about) {
  return fmt::format("{} ({} pictures)", about.at("dataset").get<std::string>(),
                     about.at("examples").get<std::int64_t>());
}

/// The paper's figure for such a run after a whole epoch.
std::optional<double> paper_accuracy(const PaperLine& line, const nlohmann::json& about, double epoch) {
  const auto whole = static_cast<std::size_t>(epoch);
  if (!is_papers(about) || epoch != std::floor(epoch) || whole < 1 || whole > line.accuracy.size())
    return std::nullopt;
  return line.accuracy[whole - 1];
}

std::optional<nlohmann::json> finished(const std::string& path) {
  std::ifstream file(path + ".json");
  if (!file) return std::nullopt;
  auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.contains("results"))
    throw StateError(fmt::format("{}.json: is not a result of jme-train", path));
  return json;
}

/// Trains until `steps`, from where an earlier call left it.
void train(const Task& task, const Dataset& dataset, const std::string& out, std::size_t steps,
           std::optional<unsigned> threads) {
  TrainingConfig config = paper_config(*task.setting, *task.line, task.method);
  config.network_seed = task.seed;
  config.stop_after = steps;
  config.threads = threads;
  const std::string path = task.path(out);
  Training training(config, dataset);
  const nlohmann::ordered_json head = about(training, dataset);
  const std::string identity = head.dump();
  const Checkpoint checkpoint(path + ".checkpoint");
  if (const auto snapshot = checkpoint.load(identity)) training.restore(*snapshot);
  const auto write = [&] {
    nlohmann::ordered_json result = head;
    result["results"] = as_json(training.evaluations());
    write_file(path + ".json", result.dump(1) + "\n");
  };
  // Results that were saved in the checkpoint, but not yet written, when a process ended.
  if (!training.evaluations().empty()) write();
  if (training.steps_done() >= steps) return;
  fmt::print("\n{}, {} (seed {}): {}\n", title(*task.setting), name(task.method), task.seed,
             training.network());
  std::fflush(stdout);
  Progress progress(training);
  const StopFlag stop;
  const bool ended = training.run(
      {.progress = [&](std::size_t done) { progress.update(done); },
       .save = [&](const Snapshot& snapshot) { checkpoint.save(identity, snapshot); },
       .report =
           [&](const Evaluation& e) {
             progress.wipe();
             const auto epoch = static_cast<std::size_t>(std::ceil(e.epoch)) - 1;
             fmt::print("  epoch {:<5.4g} {:6.2f}%   paper {:.4g}: {:6.2f}%   epsilon {}\n", e.epoch,
                        100 * e.accuracy, std::ceil(e.epoch), task.line->accuracy.at(epoch),
                        e.epsilon ? fmt::format("{:.4g}", *e.epsilon) : "none");
             std::fflush(stdout);
             write();
           },
       .stop = [&] { return stop.is_set(); }});
  progress.wipe();
  if (!ended) {
    fmt::print(stderr, "jme-train: stopped after {} of {} steps; the same command goes on\n",
               training.steps_done(), steps);
    stop.die();
  }
}

/// Mean and standard deviation over the seeds.
std::string spread(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return values.size() < 2 ? fmt::format("{:.2f}", sum / n)
                           : fmt::format("{:.2f} ± {:.2f}", sum / n, std::sqrt(squares / (n - 1)));
}

/// Shows everything in `out` as a table beside the paper's, as one file for `jme reproduce`, and as curves.
void summarise(const std::string& out, bool writes) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const PaperSetting& setting : experiments::paper_settings()) {
    std::vector<LearningCurve> curves;
    nlohmann::json about;  // of the setting's runs
    for (const Variant& variant : variants(setting)) {
      std::map<double, std::vector<double>> ours;
      double epsilon = 0;
      bool states = false;
      for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const auto result = finished(Task{&setting, variant.line, variant.method, seed}.path(out));
        if (!result) continue;
        const auto evaluations = evaluations_from(result->at("results"));
        if (evaluations.empty()) continue;
        about = *result;
        for (const Evaluation& e : evaluations) ours[e.epoch].push_back(100 * e.accuracy);
        states = evaluations.back().epsilon.has_value();
        epsilon = std::max(epsilon, evaluations.back().epsilon.value_or(0));
        runs.push_back(
            {{"dataset", result->at("dataset")},
             {"examples", result->at("examples")},
             {"method", name(variant.method)},
             {"sigma", setting.sigma},
             {"batch", setting.batch},
             {"seed", seed},
             {"epsilon", states ? nlohmann::ordered_json(evaluations.back().epsilon.value()) : nullptr},
             {"accuracy", epoch_accuracies(evaluations)},
             {"paper", variant.line->accuracy}});
      }
      if (ours.empty()) continue;
      if (curves.empty())
        fmt::print(
            "\n{}, {}{}:\n", data_of(about), title(setting),
            is_papers(about) ? fmt::format(" (paper: epsilon about {})", setting.claimed_epsilon) : "");
      fmt::print("  {} ({}), {}\n", name(variant.method), variant.line->name,
                 states ? fmt::format("epsilon {:.4g} at delta {}", epsilon, experiments::paper_delta)
                        : "no epsilon");
      LearningCurve curve{.name = std::string(name(variant.method))};
      for (const auto& [epoch, accuracies] : ours) {
        const auto paper = paper_accuracy(*variant.line, about, epoch);
        fmt::print("    epoch {:<5.4g} {:>14}   {}\n", epoch, spread(accuracies),
                   paper ? fmt::format("paper {:.2f}", *paper) : "");
        double sum = 0;
        for (const double value : accuracies) sum += value;
        curve.epochs.push_back(epoch);
        curve.accuracies.push_back(sum / static_cast<double>(accuracies.size()));
      }
      const double last = curve.epochs.back();
      curves.push_back(std::move(curve));
      if (name(variant.method) != variant.line->method || last < 1 || !is_papers(about)) continue;
      LearningCurve paper{.name = std::string(name(variant.method)), .is_reference = true};
      for (std::size_t i = 0; i < variant.line->accuracy.size() && static_cast<double>(i + 1) <= last; ++i) {
        paper.epochs.push_back(static_cast<double>(i + 1));
        paper.accuracies.push_back(variant.line->accuracy[i]);
      }
      curves.push_back(std::move(paper));
    }
    if (curves.empty()) continue;
    const bool has_paper =
        std::any_of(curves.begin(), curves.end(), [](const auto& c) { return c.is_reference; });
    const std::string heading =
        fmt::format("{}, {}{}", data_of(about), title(setting), has_paper ? "; dashed: the paper's" : "");
    if (writes) write_file(fmt::format("{}/{}.svg", out, setting.name), learning_curves(heading, curves));
  }
  if (runs.empty()) throw DataError(fmt::format("{}: there are no runs here", out));
  if (writes) write_file(out + "/results.json", nlohmann::ordered_json{{"runs", runs}}.dump(1) + "\n");
}

}  // namespace

ReproduceCommand::ReproduceCommand(CLI::App& root)
    : app_(root.add_subcommand("reproduce",
                               "The paper's table on CIFAR-10, our accuracies beside the paper's")) {
  data_.dataset = "cifar10";
  data_.attach(*app_);
  app_->add_option("--setting", setting_, "medium (batch 256, sigma 1), high (batch 1, sigma 2), or both")
      ->capture_default_str();
  app_->add_option("--method", methods_, "Only these of jme-paper, jme, joint-clip, pp-debiased, pp")
      ->delimiter(',');
  app_->add_option("--epochs", epochs_, "How far to train; a later call goes on from there")
      ->check(number())
      ->capture_default_str();
  app_->add_option("--seeds", seeds_, "Runs of every method")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  app_->add_option("--first-seed", first_seed_, "Number of the first of them")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  app_->add_option("--steps", most_steps_, "Stop every run after this many steps")->check(whole_number(1));
  app_->add_option("--out", out_, "Folder of the runs, results.json and the curves")->capture_default_str();
  app_->add_option("--threads", threads_, "Default: as many as the processor has")
      ->check(whole_number(1, 1024));
  app_->add_flag("--table", table_only_, "Train nothing; show the results that are there");
  app_->footer(
      "\nJME is run twice: as printed (jme-paper), which states no epsilon, and with per-example squares "
      "(jme).\n"
      "Runs that are finished are not done again; runs that were interrupted go on.\n"
      "\nExamples:\n"
      "  jme-train reproduce --data data/cifar10 --setting medium --epochs 3 --seeds 1\n"
      "  jme-train reproduce --data data/cifar10 --setting high --epochs 1 --method jme,pp\n"
      "  jme-train reproduce --data data/cifar10 --fraction 0.02 --steps 20 --seeds 1\n"
      "  jme-train reproduce --table");
}

void ReproduceCommand::run() const {
  if (setting_ != "both" && setting_ != "medium" && setting_ != "high")
    throw InvalidParameter("setting", setting_, "medium, high or both");
  if (!(epochs_ > 0 && epochs_ <= experiments::paper_epochs))
    throw InvalidParameter("epochs", epochs_, "above 0 and at most 10");
  if (seeds_ < 1 || first_seed_ < 1 || first_seed_ + seeds_ > 1001)
    throw InvalidParameter("seeds", static_cast<double>(seeds_), "at least 1, numbers up to 1000");
  std::vector<BatchMethod> wanted;
  for (const std::string& text : methods_) {
    if (text == "none" || text == "jme-batch-mean" || text.empty())
      throw InvalidParameter("method", text, "among jme-paper, jme, joint-clip, pp-debiased and pp");
    wanted.push_back(parse_batch_method(text));
  }
  if (!table_only_) {
    const Dataset dataset = data_.read();
    for (std::uint64_t seed = first_seed_; seed < first_seed_ + seeds_; ++seed) {
      for (const PaperSetting& setting : experiments::paper_settings()) {
        if (setting_ != "both" && setting_ != setting.name) continue;
        const double an_epoch = std::ceil(static_cast<double>(dataset.training.size()) / setting.batch);
        const auto steps = static_cast<std::size_t>(std::max(1.0, std::round(epochs_ * an_epoch)));
        for (const Variant& variant : variants(setting)) {
          if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), variant.method) == wanted.end())
            continue;
          train({&setting, variant.line, variant.method, seed}, dataset, out_,
                std::min(steps, most_steps_.value_or(steps)), threads_);
        }
      }
    }
  }
  summarise(out_, !table_only_);
}

}  // namespace jme::train
