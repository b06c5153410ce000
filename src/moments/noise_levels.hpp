#pragma once

#include <cstddef>
#include <optional>

#include <jme/mechanism/mechanism.hpp>

#include "filter/error_norm_stream.hpp"

namespace jme {

/// The public standard deviations of the noise on each release, in data units, one release after another.
/// Keeps no more than the recursions need, whatever the horizon, but for shapes whose own state grows with
/// it.
class NoiseLevels {
 public:
  explicit NoiseLevels(const Mechanism& mechanism);

  struct Level {
    double first, second;
  };
  /// The release of step `step` after `rows_seen` rows (fewer than planned where the stream ended inside a
  /// block). Steps in order; some may be left out, and the newest asked for again.
  [[nodiscard]] Level at(std::size_t step, std::size_t rows_seen);

 private:
  [[nodiscard]] Level of_block_noise(std::size_t step, std::size_t rows_seen);
  [[nodiscard]] Level of_row_noise(std::size_t step, std::size_t rows_seen);
  [[nodiscard]] double block_norm(const Workload& workload, const Filter& c, ErrorNormStream& norms,
                                  std::size_t step, std::size_t rows_seen) const;
  [[nodiscard]] double row_norm(const Workload& workload, const Filter& c, ErrorNormStream& norms,
                                std::size_t step, std::size_t rows_seen) const;

  const Mechanism* mechanism_;
  // ||row t of A C^-1||^2: over steps, or over rows for PP. `second_`: where it is not what `first_` is.
  std::optional<ErrorNormStream> first_, second_;
  // PP: ||row t of A2||^2, Q_tt and their largest so far, and (sum of |inverse coefficients|)^2 >=
  // ||C1^-1||^2.
  std::optional<ErrorNormStream> weights_, row_variances_;
  std::size_t rows_compared_ = 0;
  double largest_q_ = 0;
  double operator_norm_squared_ = 1;
};

}  // namespace jme
