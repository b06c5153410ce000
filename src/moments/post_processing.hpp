#pragma once

#include <cstddef>
#include <optional>

#include <jme/mechanism/mechanism.hpp>

#include "filter/error_norm_stream.hpp"
#include "filter/stream.hpp"
#include "moments/noise_level.hpp"

namespace jme {

// Post-processing (PP): every row is noised on its own and squared with its noise, so that the second moment
// costs nothing and is wrong by the noise's own square (docs/theory/calibration.md#post-processing). What a
// stream of it has besides an ordinary one stands here; its expected error is in theory/pp_error.cpp.

/// What the squared noise adds to each diagonal entry of the second moment: E[xhat xhat'] = x x' + std1^2
/// Q_tt I, once per row, through the same workload. Public.
class SquaredNoiseBias {
 public:
  /// `accumulate`: the second moment's workload over steps, one coordinate wide; `beta`: weight of the row
  /// before in a block.
  SquaredNoiseBias(const Mechanism& mechanism, FilterStream accumulate, double beta);

  /// Row number `row`, from 0, joins the open block.
  void add_row(std::size_t row);
  /// The release's bias; `last` where the stream ends inside a block.
  [[nodiscard]] double close_block(const std::optional<LastStep>& last);

  [[nodiscard]] FilterStream& accumulator() { return accumulate_; }
  [[nodiscard]] const FilterStream& accumulator() const { return accumulate_; }

 private:
  ErrorNormStream row_variance_;  // Q_tt
  FilterStream accumulate_;
  double beta_, variance_;
  double in_block_ = 0;
};

/// The noise levels of its releases.
class RowNoiseLevels {
 public:
  explicit RowNoiseLevels(const Mechanism& mechanism);
  /// As NoiseLevels::at.
  [[nodiscard]] NoiseLevel at(std::size_t step, std::size_t rows_seen);

 private:
  [[nodiscard]] double row_norm(const Workload& workload, const Filter& c, ErrorNormStream& norms,
                                std::size_t step, std::size_t rows_seen) const;

  const Mechanism* mechanism_;
  ErrorNormStream first_;  // ||row t of A1 C1^-1||^2, over rows
  // ||row t of A2||^2, Q_tt and their largest so far, and (sum of |inverse coefficients|)^2 >= ||C1^-1||^2.
  std::optional<ErrorNormStream> weights_, row_variances_;
  std::size_t rows_compared_ = 0;
  double largest_q_ = 0;
  double operator_norm_squared_ = 1;
};

}  // namespace jme
