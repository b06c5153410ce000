#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jme::experiments {

/// One run of the training program.
struct TrainingRun {
  std::string dataset, method;
  double examples = 0;              ///< the number it was trained on; 0 where it is not given
  double sigma = 0;                 ///< noise multiplier
  double batch = 0;                 ///< (expected) batch size
  std::optional<double> epsilon{};  ///< spent so far; nothing where no epsilon can be stated
  std::vector<double> accuracy{};   ///< in percent, after every whole epoch
};

/// The runs in what `jme-train reproduce` writes: {"runs": [{"dataset", "examples", "method", "sigma",
/// "batch", "epsilon", "accuracy": [...]}]}. Throws DataError where the text is not such a file.
[[nodiscard]] std::vector<TrainingRun> training_runs(std::string_view json);

/// The file of results in a folder that `jme-train reproduce --out` filled; a file is taken as it is.
[[nodiscard]] std::filesystem::path training_file(const std::filesystem::path& path);

/// A mean over runs and their standard deviation, which a single run does not have.
struct Accuracy {
  double mean;
  std::optional<double> deviation;
  std::size_t runs;
};
/// All runs of a method in one setting, over the epochs that each of them has.
struct TrainingGroup {
  std::string dataset, method;
  double examples, sigma, batch;
  std::optional<double> epsilon;  ///< the largest; nothing where a run states none
  std::vector<Accuracy> accuracy;
};
/// In the order of dataset, examples, batch (larger first), method. Runs that ended before their first epoch
/// are left out.
[[nodiscard]] std::vector<TrainingGroup> training_groups(const std::vector<TrainingRun>& runs);

/// "47.94 ± 0.85"
[[nodiscard]] std::string accuracy_text(const Accuracy& accuracy);

/// Probability of a difference at least this large between two equally good methods: Welch's test. Needs
/// deviations.
[[nodiscard]] double chance_of_difference(const Accuracy& a, const Accuracy& b);

}  // namespace jme::experiments
