#include "experiments/training_results.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>

namespace jme::experiments {
namespace {

Accuracy accuracy_at(const std::vector<const TrainingRun*>& runs, std::size_t epoch) {
  const auto n = static_cast<double>(runs.size());
  double sum = 0, squares = 0;
  for (const TrainingRun* run : runs) sum += run->accuracy[epoch];
  for (const TrainingRun* run : runs) squares += std::pow(run->accuracy[epoch] - sum / n, 2);
  return {.mean = sum / n,
          .deviation = runs.size() > 1 ? std::optional(std::sqrt(squares / (n - 1))) : std::nullopt,
          .runs = runs.size()};
}

}  // namespace

std::vector<TrainingRun> training_runs(std::string_view json) {
  try {
    std::vector<TrainingRun> runs;
    const auto results = nlohmann::json::parse(json);
    for (const auto& run : results.at("runs")) {
      const auto& epsilon = run.at("epsilon");
      runs.push_back({.dataset = run.at("dataset").get<std::string>(),
                      .method = run.at("method").get<std::string>(),
                      .examples = run.value("examples", 0.0),
                      .sigma = run.at("sigma").get<double>(),
                      .batch = run.at("batch").get<double>(),
                      .epsilon = epsilon.is_null() ? std::nullopt : std::optional(epsilon.get<double>()),
                      .accuracy = run.at("accuracy").get<std::vector<double>>()});
    }
    return runs;
  } catch (const nlohmann::json::exception&) {
    throw DataError("the training results are not what jme-train reproduce writes");
  }
}

std::filesystem::path training_file(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? path / "results.json" : path;
}

std::vector<TrainingGroup> training_groups(const std::vector<TrainingRun>& runs) {
  using Key = std::tuple<std::string, double, double, double, std::string>;
  std::map<Key, std::vector<const TrainingRun*>> found;
  for (const TrainingRun& run : runs) {
    if (!run.accuracy.empty())
      found[{run.dataset, run.examples, -run.batch, run.sigma, run.method}].push_back(&run);
  }
  std::vector<TrainingGroup> groups;
  for (const auto& [key, members] : found) {
    const auto& [dataset, examples, batch, sigma, method] = key;
    TrainingGroup group{.dataset = dataset,
                        .method = method,
                        .examples = examples,
                        .sigma = sigma,
                        .batch = -batch,
                        .epsilon = 0,
                        .accuracy = {}};
    std::size_t epochs = members.front()->accuracy.size();
    for (const TrainingRun* run : members) {
      epochs = std::min(epochs, run->accuracy.size());
      group.epsilon = group.epsilon && run->epsilon ? std::optional(std::max(*group.epsilon, *run->epsilon))
                                                    : std::nullopt;
    }
    for (std::size_t epoch = 0; epoch < epochs; ++epoch)
      group.accuracy.push_back(accuracy_at(members, epoch));
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string accuracy_text(const Accuracy& accuracy) {
  return accuracy.deviation ? fmt::format("{:.2f} ± {:.2f}", accuracy.mean, *accuracy.deviation)
                            : fmt::format("{:.2f}", accuracy.mean);
}

double chance_of_difference(const Accuracy& a, const Accuracy& b) {
  const auto variance = [](const Accuracy& one) {
    return *one.deviation * *one.deviation / static_cast<double>(one.runs);
  };
  const double va = variance(a), vb = variance(b);
  // Welch and Satterthwaite's degrees of freedom.
  const double freedom =
      (va + vb) * (va + vb) /
      (va * va / static_cast<double>(a.runs - 1) + vb * vb / static_cast<double>(b.runs - 1));
  const boost::math::students_t law(freedom);
  return 2 * boost::math::cdf(boost::math::complement(law, std::abs(a.mean - b.mean) / std::sqrt(va + vb)));
}

}  // namespace jme::experiments
