#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace jme::experiments {

inline constexpr std::size_t paper_epochs = 10;
inline constexpr std::size_t paper_runs = 3;  ///< behind every mean and deviation
inline constexpr double paper_delta = 1e-6;

/// A method in the paper's Tables 2 and 3.
struct PaperLine {
  const char* name;    ///< the paper's
  const char* method;  ///< as jme-train calls it
  double scaling;      ///< lambda or tau; 0: the method has none
  double adam_epsilon;
  std::array<double, paper_epochs> accuracy, deviation;  ///< in percent, after every epoch
};

/// One of its two privacy settings, clipping norm 1.
struct PaperSetting {
  const char* name;        ///< as jme-train calls it
  double claimed_epsilon;  ///< at paper_delta
  double sigma, batch, learning_rate;
  std::array<PaperLine, 4> lines;
};

/// Methods in the order of their accuracy, as the paper has it for the first setting.
[[nodiscard]] std::span<const PaperSetting> paper_settings();

}  // namespace jme::experiments
