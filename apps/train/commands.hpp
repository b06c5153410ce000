#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "training.hpp"

namespace jme::train {

/// Where pictures come from; flags shared by both commands.
struct DataFlags {
  std::string dataset = "fashion-mnist", directory{};
  double fraction = 1;

  void attach(CLI::App& app);
  /// Throws InvalidParameter or DataError.
  [[nodiscard]] Dataset read() const;
};

/// Trains one network and says how well it does and what it spent.
class RunCommand {
 public:
  explicit RunCommand(CLI::App& root);
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  void run() const;

 private:
  [[nodiscard]] TrainingConfig config() const;

  CLI::App* app_;
  DataFlags data_;
  std::string method_ = "jme", checkpoint_{}, out_{}, square_clip_{};
  std::optional<double> epsilon_, sigma_;
  TrainingConfig settings_{};
  bool json_ = false;
};

/// The paper's table: its methods in both privacy settings, our results beside the paper's.
class ReproduceCommand {
 public:
  explicit ReproduceCommand(CLI::App& root);
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  void run() const;

 private:
  CLI::App* app_;
  DataFlags data_;
  std::string setting_ = "both", out_ = "out/train";
  std::vector<std::string> methods_{};
  double epochs_ = 10;
  std::uint64_t seeds_ = 3, first_seed_ = 1;
  std::optional<std::size_t> most_steps_;
  std::optional<unsigned> threads_;
  bool table_only_ = false;
};

/// Learning curves of several runs in one drawing.
class ChartCommand {
 public:
  explicit ChartCommand(CLI::App& root);
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  void run() const;

 private:
  CLI::App* app_;
  std::vector<std::string> files_{};
  std::string out_{}, title_ = "Learning curves";
};

}  // namespace jme::train
