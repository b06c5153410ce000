#pragma once

#include <cstddef>
#include <optional>

#include <jme/mechanism/mechanism.hpp>

#include "filter/error_norm_stream.hpp"
#include "moments/noise_level.hpp"
#include "moments/post_processing.hpp"

namespace jme {

/// The public standard deviations of the noise on each release, in data units, one release after another.
/// Keeps no more than the recursions need, whatever the horizon, except for shapes whose own state grows with
/// it.
class NoiseLevels {
 public:
  explicit NoiseLevels(const Mechanism& mechanism);

  /// The release of step `step` after `rows_seen` rows (fewer than planned where the stream ended inside a
  /// block). Steps in order; some may be left out, and the newest asked for again.
  [[nodiscard]] NoiseLevel at(std::size_t step, std::size_t rows_seen);

 private:
  [[nodiscard]] NoiseLevel of_block_noise(std::size_t step, std::size_t rows_seen);
  [[nodiscard]] double block_norm(const Workload& workload, const Filter& c, ErrorNormStream& norms,
                                  std::size_t step, std::size_t rows_seen) const;

  const Mechanism* mechanism_;
  // ||row t of A C^-1||^2 over steps. `second_`: where it is not what `first_` is.
  std::optional<ErrorNormStream> first_, second_;
  std::optional<RowNoiseLevels> of_rows_;  // PP, in place of both
};

}  // namespace jme
