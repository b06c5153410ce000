#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <jme/data/bounds.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/models/covariance.hpp>
#include <jme/moments/release.hpp>

namespace jme::cli {

enum class Emit { first, second, mean, covariance };
[[nodiscard]] std::string_view name(Emit emit);
[[nodiscard]] std::vector<Emit> parse_emit(std::string_view text);
/// mean and covariance, or what the second moment allows.
[[nodiscard]] std::vector<Emit> default_emit(SecondMoment second);

/// How a release is written.
struct EmitOptions {
  std::vector<Emit> values;
  Bias bias = Bias::removed;
  bool psd = false;  ///< project covariances to the nearest positive semidefinite matrix
};

/// Throws InvalidParameter("emit", ...) where the configuration cannot give what is asked for.
void check_emit(const EmitOptions& options, const StreamConfig& config, bool has_bounds);

/// The affine map back to natural units.
[[nodiscard]] Units units_of(const ColumnBounds& bounds);

/// One release as one line of JSON in natural units, every value beside its noise:
/// {"t":..,"mean":[..],"covariance":[[..]],"noise_std":{"mean":[..],"covariance":[[..]]}}.
[[nodiscard]] std::string release_line(const Release& release, const Units& units,
                                       const EmitOptions& options);

}  // namespace jme::cli
