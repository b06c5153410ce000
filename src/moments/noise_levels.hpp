#pragma once

#include <cstddef>
#include <vector>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// The public standard deviations of the noise on each release, in data units.
class NoiseLevels {
 public:
  explicit NoiseLevels(const Mechanism& mechanism);

  struct Level {
    double first, second;
  };
  /// The release of step `step` after `rows_seen` rows (fewer than planned where the stream ended inside a
  /// block).
  [[nodiscard]] Level at(std::size_t step, std::size_t rows_seen) const;

 private:
  [[nodiscard]] Level of_block_noise(std::size_t step, std::size_t rows_seen) const;
  [[nodiscard]] Level of_row_noise(std::size_t step, std::size_t rows_seen) const;
  const Mechanism* mechanism_;
  // ||row t of A C^-1||^2: over steps, or over rows for PP (which has no second noise).
  std::vector<double> first_, second_;
  // PP: ||row t of A2||^2, largest Q_ii up to row t, and (sum of |inverse coefficients|)^2 >= ||C1^-1||^2.
  std::vector<double> weights_, largest_q_;
  double operator_norm_squared_ = 1;
};

}  // namespace jme
