#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "training.hpp"

namespace jme::train {

/// The public configuration of a training and its data: a result belongs to it, and a checkpoint must agree
/// with it.
[[nodiscard]] nlohmann::ordered_json about(const Training& training, const Dataset& dataset);

[[nodiscard]] nlohmann::ordered_json as_json(std::span<const Evaluation> evaluations);
[[nodiscard]] nlohmann::ordered_json as_json(std::span<const SecondMomentPart> parts);
/// The reverse. Throws nlohmann::json::exception.
[[nodiscard]] std::vector<Evaluation> evaluations_from(const nlohmann::json& json);

/// Accuracy after every whole epoch, in percent.
[[nodiscard]] std::vector<double> epoch_accuracies(std::span<const Evaluation> evaluations);

struct LearningCurve {
  std::string name;
  std::vector<double> epochs{}, accuracies{};  ///< in percent
  bool is_reference = false;                   ///< dashed: not ours
};
/// An SVG file. A curve and the reference of the same name share a colour.
[[nodiscard]] std::string learning_curves(const std::string& title, const std::vector<LearningCurve>& curves);

/// Replaces the file as a whole. Throws Error.
void write_file(const std::string& path, const std::string& text);

}  // namespace jme::train
