#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training.hpp"

namespace jme::train {

/// A method of the paper's tables on CIFAR-10: accuracy in percent after each of ten epochs, mean of three
/// runs.
struct PaperLine {
  std::string_view name;
  BatchMethod method;  ///< what it is here
  double lambda;       ///< its "scaling", 0 where it has none
  double eps;
  std::vector<double> accuracies;
};

/// One of the paper's two privacy settings.
struct PaperSetting {
  std::string_view name, title;
  double batch, sigma, learning_rate;
  double claimed_epsilon;  ///< at delta = 1e-6
  std::size_t evaluations;
  std::vector<PaperLine> lines;
};

/// Its Tables 2 and 3.
[[nodiscard]] std::span<const PaperSetting> paper_settings();
inline constexpr double paper_delta = 1e-6;
inline constexpr double paper_epochs = 10;

/// The paper's line as our trainer runs it (docs/training.md derives the reading). `method`: the line's own,
/// or jme with per-example squares in the place of the paper's.
[[nodiscard]] TrainingConfig paper_training(const PaperSetting& setting, const PaperLine& line,
                                            BatchMethod method);

}  // namespace jme::train
