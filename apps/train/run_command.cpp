#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "checkpoint.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "stop_flag.hpp"

namespace jme::train {
namespace {

std::string line_of(const Evaluation& e) {
  return fmt::format("epoch {:.4g} (step {}): accuracy {:.2f}%, {}", e.epoch, e.step, 100 * e.accuracy,
                     e.epsilon ? fmt::format("epsilon {:.4g}", *e.epsilon) : "no epsilon");
}

/// What all planned steps promise, whatever is seen on the way.
std::string plan_of(const nlohmann::ordered_json& about) {
  if (!about.contains("epsilon") || about["epsilon"].is_null()) return "no epsilon";
  return fmt::format("epsilon {:.4g} at delta {:g} for all {} steps", about["epsilon"].get<double>(),
                     about["delta"].get<double>(), about["steps"].get<std::size_t>());
}

void warn(const TrainingConfig& config, const Training& training) {
  if (config.insecure_test_seed)
    std::fputs("jme-train: warning: with a test seed nothing is private\n", stderr);
  if (const BatchMechanism* mechanism = training.mechanism();
      mechanism != nullptr && !mechanism->is_private()) {
    std::fputs(
        "jme-train: warning: jme-paper squares the sum of a batch with a single example's noise: it states "
        "no "
        "epsilon\n",
        stderr);
  }
  if (!config.method) std::fputs("jme-train: warning: method none is not private\n", stderr);
}

}  // namespace

RunCommand::RunCommand(CLI::App& root)
    : app_(root.add_subcommand("run", "Train a network with private Adam")) {
  data_.attach(*app_);
  const auto flag = [&](const char* name, auto& value, const char* help) {
    return app_->add_option(name, value, help);
  };
  flag("--method", method_, "jme, jme-paper, pp, pp-debiased, joint-clip, or none (not private)")
      ->capture_default_str();
  flag("--epsilon", epsilon_, "Privacy of the whole training; or give --sigma");
  flag("--sigma", sigma_, "Noise multiplier: the noise's standard deviation over the sensitivity");
  flag("--delta", settings_.delta, "Slack of the guarantee")->capture_default_str();
  flag("--batch", settings_.batch, "Expected examples in a batch (Poisson sampling)")->capture_default_str();
  flag("--epochs", settings_.epochs, "Passes over the pictures, on average; need not be whole")
      ->capture_default_str();
  flag("--clip", settings_.clip, "Every example's gradient is clipped to this length")->capture_default_str();
  flag("--lambda,--tau", settings_.lambda, "Weight of the squares (default 1/(2 clip^2))");
  flag("--lr", settings_.adam.learning_rate, "Learning rate")->capture_default_str();
  flag("--beta1", settings_.adam.beta_first, "Decay of the first moment")->capture_default_str();
  flag("--beta2", settings_.adam.beta_second, "Decay of the second moment")->capture_default_str();
  flag("--eps", settings_.adam.epsilon, "Added to the root of v")->capture_default_str();
  flag("--floor", settings_.adam.least_square, "v is raised to this before the root")->capture_default_str();
  flag("--noise-floor", settings_.adam.noise_floor,
       "v is raised to so many standard deviations of its own noise")
      ->capture_default_str();
  flag("--weight-decay", settings_.adam.weight_decay, "Decoupled from the gradient")->capture_default_str();
  flag("--update-norm", settings_.adam.update_norm, "m / sqrt(v) is scaled to at most this length");
  flag("--update-bound", settings_.adam.update_bound, "Every coordinate of m / sqrt(v) is kept within this");
  flag("--evaluations", settings_.evaluations, "How often in an epoch accuracy is measured")
      ->capture_default_str();
  flag("--steps", settings_.stop_after, "Stop after so many steps; privacy is still planned for all epochs");
  flag("--network-seed", settings_.network_seed, "Of the network's first weights, public")
      ->capture_default_str();
  flag("--checkpoint", checkpoint_, "Keep the training in this file and go on from it where it exists");
  flag("--out", out_, "Folder for results.json, curve.svg and network.safetensors");
  flag("--threads", settings_.threads, "Default: as many as the processor has");
  flag("--insecure-test-seed", settings_.insecure_test_seed,
       "Reproducible noise that protects nobody, for tests");
  app_->add_flag("--json", json_, "One JSON object on stdout");
  app_->footer(
      "\nAccuracy is measured on the data set's test pictures, which are not protected. Neighbours differ by "
      "one\n"
      "training picture that is there or counts as nothing (add-remove); the number of pictures is public. "
      "The\n"
      "epsilon beside an accuracy is that of the steps so far if their number was fixed beforehand; who "
      "stops\n"
      "because of what was seen has the privacy of all planned steps.\n"
      "\nExamples:\n"
      "  jme-train run --epsilon 2 --batch 1024 --epochs 5\n"
      "  jme-train run --epsilon 2 --checkpoint training.state     (again after an interruption)\n"
      "  jme-train run --dataset cifar10 --data data/cifar10 --sigma 1 --method pp-debiased\n"
      "  jme-train run --method none --epochs 1");
}

TrainingConfig RunCommand::config() const {
  TrainingConfig config = settings_;
  if (method_ == "none") {
    if (epsilon_ || sigma_)
      throw InvalidParameter("method", method_, "a private one where epsilon or sigma is given");
    config.method.reset();
    return config;
  }
  config.method = parse_batch_method(method_);
  if (config.method == BatchMethod::jme_batch_mean)
    throw InvalidParameter("method", method_,
                           "another one: it needs batches of a fixed size, these are sampled");
  if (epsilon_.has_value() == sigma_.has_value())
    throw InvalidParameter("epsilon, sigma", "give exactly one of them");
  config.budget = sigma_ ? Budget{.sigma = *sigma_} : Budget{.epsilon = *epsilon_, .delta = config.delta};
  return config;
}

void RunCommand::run() const {
  const TrainingConfig config = this->config();
  const Dataset dataset = data_.read();
  Training training(config, dataset);
  warn(config, training);
  nlohmann::ordered_json result = about(training, dataset);
  const std::string identity = result.dump();

  std::optional<Checkpoint> checkpoint;
  if (!checkpoint_.empty()) {
    checkpoint.emplace(checkpoint_);
    if (const auto snapshot = checkpoint->load(identity)) training.restore(*snapshot);
  }
  if (!json_) {
    fmt::print("{}\nprivacy: {}\n", training.network(), plan_of(result));
    for (const Evaluation& evaluation : training.evaluations()) fmt::print("{}\n", line_of(evaluation));
    std::fflush(stdout);
  }
  Progress progress(training);
  const StopFlag stop;
  TrainingHooks hooks{.progress = [&](std::size_t done) { progress.update(done); },
                      .report =
                          [&](const Evaluation& evaluation) {
                            progress.wipe();
                            if (json_) return;
                            fmt::print("{}\n", line_of(evaluation));
                            std::fflush(stdout);
                          },
                      .stop = [&] { return stop.is_set(); }};
  if (checkpoint) hooks.save = [&](const Snapshot& snapshot) { checkpoint->save(identity, snapshot); };
  const bool ended = training.run(hooks);
  progress.wipe();
  if (!ended) {
    fmt::print(stderr,
               "jme-train: stopped after {} of {} steps{}\n"
               "If you stopped because of what you saw, what was shown has the privacy of the plan: {}\n",
               training.steps_done(), training.steps(), checkpoint ? "; the same command goes on" : "",
               plan_of(result));
    stop.die();
  }
  result["results"] = as_json(training.evaluations());
  if (json_) fmt::print("{}\n", result.dump());
  if (out_.empty()) return;
  std::filesystem::create_directories(out_);
  write_file(out_ + "/results.json", result.dump(1) + "\n");
  write_file(out_ + "/network.safetensors", training.network_file());
  LearningCurve curve{.name = method_};
  for (const Evaluation& evaluation : training.evaluations()) {
    curve.epochs.push_back(evaluation.epoch);
    curve.accuracies.push_back(100 * evaluation.accuracy);
  }
  write_file(out_ + "/curve.svg", learning_curves(dataset.name + ", " + method_, {curve}));
}

}  // namespace jme::train
