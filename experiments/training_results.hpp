#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jme::experiments {

/// One run of the training program.
struct TrainingRun {
  std::string dataset, method;
  double sigma = 0;                ///< noise multiplier
  double batch = 0;                ///< (expected) batch size
  double epsilon = 0;              ///< what the run really has; 0 where it states none
  std::vector<double> accuracy{};  ///< in percent, after every epoch
};

/// The runs in a results file: {"runs": [{"dataset", "method", "sigma", "batch", "epsilon", "accuracy":
/// [...]}]}. Throws DataError where the text is no such file.
[[nodiscard]] std::vector<TrainingRun> training_runs(std::string_view json);

/// One line for every dataset, batch, sigma and method: mean and standard deviation over its runs after the
/// first, the third and the last epoch that all of them have.
[[nodiscard]] std::vector<std::vector<std::string>> training_rows(const std::vector<TrainingRun>& runs);

}  // namespace jme::experiments
