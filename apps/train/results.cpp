#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/report/line_chart.hpp>

namespace jme::train {

nlohmann::ordered_json about(const Training& training, const Dataset& dataset) {
  const TrainingConfig& config = training.config();
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json about{{"dataset", dataset.name},
                               {"examples", dataset.training.size()},
                               {"network", training.network()},
                               {"parameters", training.parameter_count()},
                               {"network_seed", config.network_seed},
                               {"method", config.method ? name(*config.method) : "none"},
                               {"batch", config.batch},
                               {"epochs", config.epochs},
                               {"steps", training.steps()},
                               {"lr", config.adam.learning_rate},
                               {"beta1", config.adam.beta_first},
                               {"beta2", config.adam.beta_second},
                               {"eps", config.adam.epsilon},
                               {"least_square", config.adam.least_square},
                               {"weight_decay", config.adam.weight_decay},
                               {"update_bound", optional(config.adam.update_bound)},
                               {"update_norm", optional(config.adam.update_norm)}};
  const BatchMechanism* mechanism = training.mechanism();
  if (mechanism == nullptr) return about;
  about["noise_floor"] = config.adam.noise_floor;
  about["clip"] = config.clip;
  if (!config.square_clip.empty()) {
    auto& bounds = about["square_clip"];
    for (const SquareRule& rule : config.square_clip)
      bounds[rule.layer.empty() ? "all" : rule.layer] = rule.bound;
  }
  about["sigma"] = mechanism->sigma();
  about["lambda"] = mechanism->has_second() ? nlohmann::ordered_json(mechanism->lambda()) : nullptr;
  about["noise_gradients"] = mechanism->calibration().std_first;
  about["noise_squares"] = mechanism->has_second() ? mechanism->calibration().std_second : 0;
  about["sampling_rate"] = mechanism->config().sampling_rate;
  about["adjacency"] = name(mechanism->config().adjacency);
  about["delta"] = config.delta;
  about["epsilon"] = nullptr;
  if (mechanism->is_private() && !config.insecure_test_seed) {
    const BatchPrivacy promise = mechanism->privacy(config.delta);
    if (std::isfinite(promise.epsilon)) about["epsilon"] = promise.epsilon;
  }
  if (config.insecure_test_seed) about["insecure_test_seed"] = *config.insecure_test_seed;
  return about;
}

nlohmann::ordered_json as_json(std::span<const Evaluation> evaluations) {
  auto json = nlohmann::ordered_json::array();
  for (const Evaluation& e : evaluations) {
    json.push_back({{"step", e.step},
                    {"epoch", e.epoch},
                    {"accuracy", e.accuracy},
                    {"epsilon", e.epsilon ? nlohmann::ordered_json(*e.epsilon) : nullptr}});
  }
  return json;
}

nlohmann::ordered_json as_json(std::span<const SecondMomentPart> parts) {
  auto json = nlohmann::ordered_json::array();
  for (const SecondMomentPart& p : parts) {
    json.push_back(
        {{"tensor", p.tensor}, {"count", p.count}, {"bound", p.bound}, {"noise", p.noise}, {"mean", p.mean}});
  }
  return json;
}

std::vector<Evaluation> evaluations_from(const nlohmann::json& json) {
  std::vector<Evaluation> evaluations;
  for (const auto& e : json) {
    evaluations.push_back(
        {.step = e.at("step").get<std::size_t>(),
         .epoch = e.at("epoch").get<double>(),
         .accuracy = e.at("accuracy").get<double>(),
         .epsilon = e.at("epsilon").is_null() ? std::nullopt : std::optional(e.at("epsilon").get<double>())});
  }
  return evaluations;
}

std::vector<double> epoch_accuracies(std::span<const Evaluation> evaluations) {
  std::vector<double> accuracies;
  for (const Evaluation& e : evaluations) {
    if (e.epoch == std::floor(e.epoch)) accuracies.push_back(100 * e.accuracy);
  }
  return accuracies;
}

std::string learning_curves(const std::string& title, const std::vector<LearningCurve>& curves) {
  report::LineChart chart{.title = title,
                          .description = "Accuracy on the test pictures against epochs of training.",
                          .x = {.label = "epoch", .low = 0},
                          .y = {.label = "test accuracy", .unit = "%"},
                          .size = {.width = 560, .height = 340}};
  std::vector<std::string> names;
  for (const LearningCurve& curve : curves) {
    const auto known = std::find(names.begin(), names.end(), curve.name);
    const auto place = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) names.push_back(curve.name);
    chart.series.push_back({.name = curve.is_reference ? "" : curve.name,
                            .x = curve.epochs,
                            .y = curve.accuracies,
                            .colour = place,
                            .stroke = curve.is_reference ? report::Stroke::dashed : report::Stroke::solid,
                            .marker = curve.epochs.size() < 30 ? report::Marker::dot : report::Marker::none});
  }
  return report::draw(chart).file();
}

void write_file(const std::string& path, const std::string& text) {
  const std::string part = path + ".new";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  std::error_code failure;
  if (file) std::filesystem::rename(part, path, failure);
  if (!file || failure) throw Error(fmt::format("{}: cannot be written", path));
}

}  // namespace jme::train
