#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <jme/filter/schedule.hpp>

namespace jme {

/// One geometric tail of an impulse response: weight * pole^m.
struct Mode {
  double weight;
  double pole;
};

/// weight * x^lag, lag >= 1.
struct LagTap {
  std::size_t lag;
  double weight;
};

/// Impulse response of a causal time-invariant filter: first the taps, then the sum of the modes,
///     c_k = taps[k]                               for k <  K = taps.size()
///     c_k = sum_i weight_i * pole_i^(k - K)       for k >= K.
/// `inverted` means the filter is the inverse of that series. `inverse_taps`, where given, are the first
/// coefficients of the series' inverse in closed form (square roots have one), at least as many as the filter
/// has steps; they belong to the series, whether or not the filter is `inverted`. `lag_taps` divide the
/// filter by 1 + sum_i weight_i x^lag_i: its inverse is the series' inverse applied to u_t = z_t + sum_i
/// weight_i z_{t - lag_i} (docs/theory/shaping.md#windows).
struct Toeplitz {
  std::vector<double> taps{1.0};
  std::vector<Mode> modes{};
  bool inverted = false;
  std::vector<double> inverse_taps{};
  std::vector<LagTap> lag_taps{};

  /// The first n coefficients c_0 .. c_{n-1} of the filter itself (after inversion).
  [[nodiscard]] std::vector<double> coefficients(std::size_t n) const;
  /// The first n coefficients of its inverse.
  [[nodiscard]] std::vector<double> inverse_coefficients(std::size_t n) const;
};

/// An n x n lower-triangular matrix that can be streamed: F = diag(row) T diag(column), T Toeplitz; or a
/// dense one. Workloads A and shaping matrices C = L T D^-1 are both of this type. Immutable.
class Filter {
 public:
  static Filter identity(std::size_t steps);
  static Filter toeplitz(std::size_t steps, Toeplitz core, Schedule row = {}, Schedule column = {});
  /// diag(row) T D^-1 with D the norms of the columns of diag(row) T, rounded up: no column is longer than 1.
  /// T as in Schedule::inverse_column_norms; with lag taps `row` is 1.
  static Filter column_normalised(std::size_t steps, Toeplitz core, Schedule row = {});
  /// The same for columns that continue without end beyond the last step: D includes their whole tail.
  static Filter endless_column_normalised(std::size_t steps, Toeplitz core, Schedule row = {});
  /// Throws InvalidParameter(name, ...) unless the matrix is square, finite and lower triangular.
  static Filter dense(Eigen::MatrixXd lower, std::string_view name = "matrix");

  /// The same filter whose last row is replaced by these weights.
  [[nodiscard]] Filter with_last_row(std::vector<double> weights) const;
  /// The same filter whose last row has another weight for its single mode (a partial last block of a decay
  /// workload): last_row() then holds the whole row, but streams and norms need only this number.
  /// Only for one tap, one mode, no schedules.
  [[nodiscard]] Filter with_last_mode_weight(double weight) const;

  /// The same filter divided by 1 + sum_i weight_i x^lag_i. Throws InvalidParameter unless the core is a
  /// series (not inverted, no inverse in closed form) and every lag is at least 1.
  [[nodiscard]] Filter with_lag_taps(std::vector<LagTap> taps) const;

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] bool is_dense() const { return matrix_.has_value(); }
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return *matrix_; }  ///< only where is_dense()
  [[nodiscard]] const Toeplitz& core() const { return core_; }
  [[nodiscard]] const std::vector<LagTap>& lag_taps() const { return core_.lag_taps; }
  [[nodiscard]] const Schedule& row() const { return row_; }
  [[nodiscard]] const Schedule& column() const { return column_; }
  [[nodiscard]] const std::optional<std::vector<double>>& last_row() const { return last_row_; }
  [[nodiscard]] const std::optional<double>& last_mode_weight() const { return last_mode_weight_; }
  /// True where no column is longer than 1 because each was divided by its norm.
  [[nodiscard]] bool has_unit_columns() const { return unit_columns_; }
  /// True where that norm includes a tail beyond the last step (endless_column_normalised).
  [[nodiscard]] bool is_endless() const { return endless_; }
  /// True where F = T: no schedules, no replaced row, not dense.
  [[nodiscard]] bool is_toeplitz() const;
  /// True where F is lower triangular with a nonzero diagonal.
  [[nodiscard]] bool is_invertible() const;

  [[nodiscard]] std::vector<double> apply(std::span<const double> x) const;             ///< F x
  [[nodiscard]] std::vector<double> solve(std::span<const double> y) const;             ///< F^-1 y
  [[nodiscard]] std::vector<double> solve_transposed(std::span<const double> y) const;  ///< F^-T y
  [[nodiscard]] std::vector<double> row_weights(std::size_t step) const;  ///< row `step`, all n entries
  [[nodiscard]] Eigen::MatrixXd to_dense() const;

  /// Vectors of memory, per coordinate, that streaming F^-1 needs at the end of the stream, including those
  /// that lag taps reach back to.
  [[nodiscard]] std::size_t inverse_state_vectors() const;

 private:
  Filter(std::size_t steps, Toeplitz core, Schedule row, Schedule column);
  std::size_t steps_;
  Toeplitz core_;
  Schedule row_, column_;
  std::optional<Eigen::MatrixXd> matrix_;
  std::optional<std::vector<double>> last_row_;
  std::optional<double> last_mode_weight_;
  bool unit_columns_ = false, endless_ = false;
};

}  // namespace jme
