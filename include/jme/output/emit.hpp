#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <jme/mechanism/stream_config.hpp>
#include <jme/models/running_moments.hpp>

namespace jme {

enum class Emit { first, second, mean, covariance, correlation, precision, pca, regression, density };

/// One word of what to emit: "mean", "pca:3", "regression:TEMP".
struct EmitItem {
  Emit kind;
  std::size_t count = 0;   ///< pca: how many components
  std::string column{};    ///< regression: the column explained, as it was written
  std::size_t target = 0;  ///< regression: its index, once the columns are known

  [[nodiscard]] std::string text() const;  ///< as it was written
};

/// How a release is written.
struct EmitOptions {
  std::vector<EmitItem> values;
  Bias bias = Bias::removed;
  bool psd = false;  ///< project covariances to the nearest positive semidefinite matrix
};

/// What help and errors say may be emitted.
inline constexpr const char* emit_help =
    "first, second, mean, covariance, correlation, precision, pca:K, regression:COLUMN, density";

[[nodiscard]] std::vector<EmitItem> parse_emit(std::string_view text);
/// mean and covariance, or what the second moment allows.
[[nodiscard]] std::vector<EmitItem> default_emit(SecondMoment second);

/// An option that changes nothing in what is emitted.
enum class UnusedEmitOption { psd, bias };
/// Throws InvalidParameter("emit", ...) where the configuration cannot give what is asked for. Returns the
/// options that change nothing.
std::vector<UnusedEmitOption> check_emit(const EmitOptions& options, const StreamConfig& config,
                                         bool has_bounds);
/// Finds the columns that are named, by name or number. Throws InvalidParameter("emit", ...), with a list of
/// the columns there are, where one is not found, or where there are too few columns for what is asked.
void find_columns(EmitOptions& options, const std::vector<std::string>& columns);

}  // namespace jme
