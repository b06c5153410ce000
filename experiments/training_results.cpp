#include "experiments/training_results.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>

namespace jme::experiments {
namespace {

std::string mean_text(const std::vector<const TrainingRun*>& runs, std::size_t epoch) {
  double sum = 0, squares = 0;
  for (const TrainingRun* run : runs) sum += run->accuracy[epoch];
  const auto n = static_cast<double>(runs.size());
  const double mean = sum / n;
  for (const TrainingRun* run : runs) squares += std::pow(run->accuracy[epoch] - mean, 2);
  return runs.size() == 1 ? fmt::format("{:.2f}", mean)
                          : fmt::format("{:.2f} ± {:.2f}", mean, std::sqrt(squares / (n - 1)));
}

}  // namespace

std::vector<TrainingRun> training_runs(std::string_view json) {
  try {
    std::vector<TrainingRun> runs;
    const auto results = nlohmann::json::parse(json);
    for (const auto& run : results.at("runs")) {
      runs.push_back({.dataset = run.at("dataset").get<std::string>(),
                      .method = run.at("method").get<std::string>(),
                      .sigma = run.at("sigma").get<double>(),
                      .batch = run.at("batch").get<double>(),
                      .epsilon = run.contains("epsilon") && run["epsilon"].is_number()
                                     ? run["epsilon"].get<double>()
                                     : 0,
                      .accuracy = run.at("accuracy").get<std::vector<double>>()});
    }
    return runs;
  } catch (const nlohmann::json::exception&) {
    throw DataError("the training results are not what jme-train writes");
  }
}

std::vector<std::vector<std::string>> training_rows(const std::vector<TrainingRun>& runs) {
  using Key = std::tuple<std::string, double, double, std::string>;
  std::map<Key, std::vector<const TrainingRun*>> groups;
  for (const TrainingRun& run : runs) {
    if (!run.accuracy.empty()) groups[{run.dataset, run.batch, run.sigma, run.method}].push_back(&run);
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, group] : groups) {
    const auto& [dataset, batch, sigma, method] = key;
    std::size_t epochs = group.front()->accuracy.size();
    double epsilon = 0;
    for (const TrainingRun* run : group) {
      epochs = std::min(epochs, run->accuracy.size());
      epsilon = std::max(epsilon, run->epsilon);
    }
    rows.push_back({fmt::format("{}, batch {}, σ = {}", dataset, batch, sigma), method,
                    epsilon > 0 ? fmt::format("{:.3g}", epsilon) : "none", fmt::format("{}", group.size()),
                    mean_text(group, 0), epochs > 2 ? mean_text(group, 2) : "–",
                    fmt::format("{} (epoch {})", mean_text(group, epochs - 1), epochs)});
  }
  return rows;
}

}  // namespace jme::experiments
