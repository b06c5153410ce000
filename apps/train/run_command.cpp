#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

#include "checkpoint.hpp"
#include "commands.hpp"
#include "flag_checks.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "stop_flag.hpp"

namespace jme::train {
namespace {

std::string line_of(const Evaluation& e) {
  return fmt::format("epoch {:.4g} (step {}): accuracy {:.2f}%, {}", e.epoch, e.step, 100 * e.accuracy,
                     e.epsilon ? fmt::format("epsilon {:.4g}", *e.epsilon) : "no epsilon");
}

/// The guarantee of all planned steps, whatever is seen before they are done.
std::string plan_of(const nlohmann::ordered_json& about) {
  if (!about.contains("sigma")) return "none";
  const std::string noise =
      fmt::format("{}, sigma {:.4g}", about["method"].get<std::string>(), about["sigma"].get<double>());
  if (about["epsilon"].is_null()) return "no epsilon (" + noise + ")";
  return fmt::format("epsilon {:.4g} at delta {:g} for all {} steps ({})", about["epsilon"].get<double>(),
                     about["delta"].get<double>(), about["steps"].get<std::size_t>(), noise);
}

void warn(const TrainingConfig& config, const Training& training, std::int64_t examples) {
  if (config.method && config.delta * static_cast<double>(examples) > 1)
    std::fputs(
        "jme-train: warning: delta is more than one over the number of pictures, which may reveal one of "
        "them completely\n",
        stderr);
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

/// A folder that cannot be written to is found before anything is spent.
void prepare_folder(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure || !std::filesystem::is_directory(path) || ::access(path.c_str(), W_OK) != 0)
    throw InvalidParameter("out", path, "a folder that can be made and written to");
}

void write_results(const std::string& folder, const nlohmann::ordered_json& result,
                   const Training& training) {
  write_file(folder + "/results.json", result.dump(1) + "\n");
  write_file(folder + "/network.safetensors", training.network_file());
  const auto method = result.at("method").get<std::string>();
  LearningCurve curve{.name = method};
  for (const Evaluation& evaluation : training.evaluations()) {
    curve.epochs.push_back(evaluation.epoch);
    curve.accuracies.push_back(100 * evaluation.accuracy);
  }
  if (!curve.epochs.empty())
    write_file(folder + "/curve.svg",
               learning_curves(result.at("dataset").get<std::string>() + ", " + method, {curve}));
}

}  // namespace

RunCommand::RunCommand(CLI::App& root)
    : app_(root.add_subcommand("run", "Train a network with private Adam")) {
  data_.attach(*app_);
  const auto text = [&](const char* name, std::string& value, const char* help) {
    return app_->add_option(name, value, help);
  };
  const auto flag = [&](const char* name, auto& value, const char* help) {
    return app_->add_option(name, value, help)->check(number());
  };
  const auto count = [&](const char* name, auto& value, const char* help, std::uint64_t least,
                         std::uint64_t most) {
    return app_->add_option(name, value, help)->check(whole_number(least, most));
  };
  constexpr std::uint64_t many = 1'000'000'000'000;
  text("--method", method_, "jme, jme-paper, pp, pp-debiased, joint-clip, or none (not private)")
      ->capture_default_str();
  flag("--epsilon", epsilon_, "Privacy of the whole training; or give --sigma");
  flag("--sigma", sigma_, "Noise multiplier: the noise's standard deviation over the sensitivity");
  flag("--delta", settings_.delta, "Slack of the guarantee")->capture_default_str();
  flag("--batch", settings_.batch, "Expected examples in a batch (Poisson sampling)")->capture_default_str();
  flag("--epochs", settings_.epochs, "Passes over the pictures, on average; need not be whole")
      ->capture_default_str();
  flag("--clip", settings_.clip, "Every example's gradient is clipped to this length")->capture_default_str();
  flag("--lambda,--tau", settings_.lambda, "Weight of the squares (default 1/(2 clip^2), or 1/(2 C^2))");
  text("--square-clip", square_clip_,
       "jme: no coordinate of a gradient counts for more than C^2 in the squares; C, or layer=C,... for "
       "layers");
  flag("--lr", settings_.adam.learning_rate, "Learning rate")->capture_default_str();
  flag("--beta1", settings_.adam.beta_first, "Decay of the first moment")->capture_default_str();
  flag("--beta2", settings_.adam.beta_second, "Decay of the second moment")->capture_default_str();
  flag("--eps", settings_.adam.epsilon, "Added to the root of v")->capture_default_str();
  flag("--floor", settings_.adam.least_square, "v is raised to this before the root")->capture_default_str();
  flag("--noise-floor", settings_.adam.noise_floor,
       "v is raised to this many standard deviations of its own noise")
      ->capture_default_str();
  flag("--weight-decay", settings_.adam.weight_decay, "Decoupled from the gradient")->capture_default_str();
  flag("--update-norm", settings_.adam.update_norm, "m / sqrt(v) is scaled to at most this length");
  flag("--update-bound", settings_.adam.update_bound, "Every coordinate of m / sqrt(v) is kept within this");
  count("--evaluations", settings_.evaluations, "How often accuracy is measured in an epoch", 1, 1'000'000)
      ->capture_default_str();
  count("--steps", settings_.stop_after,
        "Stop after this many steps; privacy is still planned for all epochs", 1, many);
  count("--network-seed", settings_.network_seed, "Seed of the network's first weights; public", 0, many)
      ->capture_default_str();
  text("--checkpoint", checkpoint_, "Keep the training in this file and go on from it where it exists");
  text("--out", out_, "Folder for results.json, curve.svg and network.safetensors");
  count("--threads", settings_.threads, "Default: as many as the processor has", 1, 1024);
  count("--insecure-test-seed", settings_.insecure_test_seed,
        "Reproducible noise that protects nobody, for tests", 0, many);
  app_->add_flag("--json", json_, "One JSON object on stdout");
  app_->footer(
      "\nAccuracy is measured on the data set's test pictures, which are not protected. Neighbours differ by "
      "one\n"
      "training picture that is there or counts as nothing (add-remove); the number of pictures is public. "
      "The\n"
      "epsilon beside an accuracy is that of the steps so far if their number was fixed beforehand; whoever "
      "stops\n"
      "because of what was seen has the privacy of all planned steps.\n"
      "\nExamples:\n"
      "  jme-train run --epsilon 2 --batch 1024 --epochs 5\n"
      "  jme-train run --epsilon 2 --batch 512 --square-clip 0.01,linear=0.03\n"
      "  jme-train run --epsilon 2 --checkpoint training.state     (again after an interruption)\n"
      "  jme-train run --dataset cifar10 --data data/cifar10 --sigma 1 --method pp-debiased\n"
      "  jme-train run --method none --epochs 1");
}

TrainingConfig RunCommand::config() const {
  TrainingConfig config = settings_;
  const auto not_negative = [](const char* name, double value) {
    if (!(value >= 0)) throw InvalidParameter(name, value, "a finite number of at least 0");
  };
  not_negative("lr", config.adam.learning_rate);
  not_negative("floor", config.adam.least_square);
  if (method_ != "jme" && !square_clip_.empty())
    throw InvalidParameter("square-clip", square_clip_,
                           "left out: only method jme adds up squares of examples");
  if (method_ == "none") {
    if (epsilon_ || sigma_)
      throw InvalidParameter("method", method_, "a private one where epsilon or sigma is given");
    config.method.reset();
    return config;
  }
  if (method_ == "jme-batch-mean")
    throw InvalidParameter("method", method_,
                           "another one: it needs batches of a fixed size, these are sampled");
  const std::vector<std::string> methods{"jme", "jme-paper", "pp", "pp-debiased", "joint-clip"};
  if (std::find(methods.begin(), methods.end(), method_) == methods.end())
    throw InvalidParameter("method", method_, "jme, jme-paper, pp, pp-debiased, joint-clip or none");
  config.method = parse_batch_method(method_);
  if (epsilon_.has_value() == sigma_.has_value())
    throw InvalidParameter("epsilon, sigma", "give exactly one of them");
  const auto above_zero = [](const char* name, const std::optional<double>& value) {
    if (value && !(*value > 0)) throw InvalidParameter(name, *value, "a finite number above 0");
  };
  above_zero("epsilon", epsilon_);
  above_zero("sigma", sigma_);
  above_zero("lambda", config.lambda);
  if (app_->count("--square-clip") > 0) config.square_clip = parse_square_rules(square_clip_);
  if (config.lambda && !has_second_channel(*config.method))
    throw InvalidParameter("lambda", *config.lambda, "left out: this method releases no squares");
  config.budget = sigma_ ? Budget{.sigma = *sigma_} : Budget{.epsilon = *epsilon_, .delta = config.delta};
  return config;
}

void RunCommand::run() const {
  const TrainingConfig config = this->config();
  if (!out_.empty()) prepare_folder(out_);
  const Dataset dataset = data_.read();
  Training training(config, dataset);
  warn(config, training, dataset.training.size());
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
  result["results"] = as_json(training.evaluations());
  if (const auto parts = training.second_moment(); !parts.empty()) result["second_moment"] = as_json(parts);
  if (!out_.empty()) write_results(out_, result, training);
  if (!ended) {
    fmt::print(stderr,
               "jme-train: stopped after {} of {} steps; {}\n"
               "If you stopped because of what you saw, what was shown has the privacy of the plan: {}\n",
               training.steps_done(), training.steps(),
               checkpoint ? "the same command goes on" : "without --checkpoint it cannot go on",
               plan_of(result));
    stop.die();
  }
  if (json_) fmt::print("{}\n", result.dump());
}

}  // namespace jme::train
