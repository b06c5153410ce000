#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/filter/last_step.hpp>

namespace jme {

/// What is published: the matrix A of A X, defined over rows; on a horizon of blocks it becomes a filter over
/// steps.
class Workload {
 public:
  enum class Kind { prefix, mean, decay, window, custom };

  /// "prefix", "mean", "decay:0.99", "window:100". Throws InvalidParameter.
  static Workload parse(std::string_view text, std::string_view parameter = "workload");

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double beta() const { return beta_; }                ///< decay: weight of the row before
  [[nodiscard]] std::size_t window_rows() const { return window_; }  ///< window: its length in rows
  [[nodiscard]] std::string name() const;                            ///< as `parse` reads it

  /// A over steps. Throws InvalidParameter where the horizon does not fit (window > rows, window not a
  /// multiple of every, custom matrix of another size).
  [[nodiscard]] Filter filter(const Horizon& horizon) const;

  /// Weight of a row inside its block, `rows_until_end` rows before the block's last row: beta^r for decay,
  /// else 1.
  [[nodiscard]] double weight_in_block(std::size_t rows_until_end) const;
  /// True where rows inside a block have unequal weights (then a block's sum is not a sum of lattice rows).
  [[nodiscard]] bool weighs_rows(const Horizon& horizon) const;

  /// Sum of the weights of all rows in the release at step `step` when `rows_seen` rows have come; public.
  [[nodiscard]] double weight_sum(std::size_t step, std::size_t rows_seen, const Horizon& horizon) const;

  /// What a sum of weights must be multiplied by to be a number of rows when `rows_seen` rows have come: the
  /// mean divides by that number, and a window by its length. 1 for sums (a decaying one counts recent rows).
  [[nodiscard]] double rows_per_weight(std::size_t rows_seen) const;

  /// How the accumulator closes when the stream ends inside a block of which only `rows_in_block` rows came.
  [[nodiscard]] LastStep close(std::size_t rows_seen, std::size_t rows_in_block) const;

  friend Workload prefix();
  friend Workload mean();
  friend Workload decay(double beta);
  friend Workload window(std::size_t rows);
  friend Workload custom(Eigen::MatrixXd matrix, std::string name);

 private:
  Workload() = default;
  Kind kind_ = Kind::mean;
  double beta_ = 1;
  std::size_t window_ = 0;
  std::optional<Eigen::MatrixXd> matrix_;
  std::string name_;
};

[[nodiscard]] Workload prefix();                  ///< sum of all rows so far
[[nodiscard]] Workload mean();                    ///< average of all rows so far
[[nodiscard]] Workload decay(double beta);        ///< sum of beta^age * row, beta in (0, 1)
[[nodiscard]] Workload window(std::size_t rows);  ///< sum of the last `rows` rows divided by `rows`
/// Any lower-triangular matrix over steps. `name` is what messages call it.
[[nodiscard]] Workload custom(Eigen::MatrixXd matrix, std::string name = "custom");

}  // namespace jme
