#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "commands.hpp"
#include "results.hpp"

namespace jme::train {
namespace {

LearningCurve curve_from(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw DataError(fmt::format("{}: must be a file that can be read", path));
  try {
    const auto json = nlohmann::json::parse(file);
    LearningCurve curve{.name = json.at("method").get<std::string>()};
    for (const Evaluation& evaluation : evaluations_from(json.at("results"))) {
      curve.epochs.push_back(evaluation.epoch);
      curve.accuracies.push_back(100 * evaluation.accuracy);
    }
    if (curve.epochs.empty()) throw DataError(fmt::format("{}: has no accuracies", path));
    return curve;
  } catch (const nlohmann::json::exception&) {
    throw DataError(fmt::format("{}: is not a result of jme-train", path));
  }
}

/// Runs of the same method get the names of their folders, or files, so that they can be told apart.
void tell_apart(std::vector<LearningCurve>& curves, const std::vector<std::string>& files) {
  std::map<std::string, std::size_t> count;
  for (const LearningCurve& curve : curves) ++count[curve.name];
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (count[curves[i].name] == 1) continue;
    const std::filesystem::path file(files[i]);
    const bool usual = file.filename() == "results.json" && file.has_parent_path();
    curves[i].name += ", " + (usual ? file.parent_path().filename() : file.stem()).string();
  }
}

}  // namespace

ChartCommand::ChartCommand(CLI::App& root)
    : app_(root.add_subcommand("chart", "Learning curves of several runs in one drawing")) {
  app_->add_option("FILES", files_, "results.json of every run")->required();
  app_->add_option("--out", out_, "SVG file")->required();
  app_->add_option("--title", title_, "Above the drawing")->capture_default_str();
  app_->footer(
      "\nExamples:\n"
      "  jme-train chart pp/results.json jme/results.json --out curves.svg --title 'Fashion-MNIST, epsilon "
      "2'");
}

void ChartCommand::run() const {
  std::vector<LearningCurve> curves;
  for (const std::string& file : files_) curves.push_back(curve_from(file));
  tell_apart(curves, files_);
  write_file(out_, learning_curves(title_, curves));
}

}  // namespace jme::train
