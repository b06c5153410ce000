#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <jme/filter/filter.hpp>

namespace jme {

/// The first `steps` steps of a filter: its leading principal block.
[[nodiscard]] Filter leading_steps(const Filter& filter, std::size_t steps);

/// |C^-T b|: the noise of a contrast b'y of released increments y = x + C^-1 z, for draws z of standard
/// deviation 1. `b` may be shorter than the filter: the steps after it have weight 0.
[[nodiscard]] double contrast_noise(const Filter& c, std::span<const double> b);

/// Turns released increments into independent numbers of variance 1, block after block. Increments
/// y = x + C^-1 z std have the covariance K = std^2 (C'C)^-1 + diag(v), where v_t is the sampling variance
/// of block t. K = LL' with L lower triangular; next() returns row t of L^-1 y for every series. L depends on
/// public numbers alone (theory/GUARANTEES.md#released-increments).
///
/// Shapes of few states (identity, banded, banded inverse, BLT, scaled BLT) take O(p^2) a block and have no
/// last step of their own; other shapes take one row of a Cholesky factorisation, O(t^2) for block t.
class IncrementWhitening {
 public:
  /// Most states of a shape that is filtered; other shapes are factorised and have a limit of steps.
  static constexpr std::size_t most_states = 64;
  static constexpr std::size_t most_dense_steps = 2048;

  /// Throws InvalidParameter("shape", ...) for a shape of more states on a longer horizon.
  IncrementWhitening(const Filter& c, double std);
  IncrementWhitening(IncrementWhitening&&) noexcept;
  IncrementWhitening& operator=(IncrementWhitening&&) noexcept;
  ~IncrementWhitening();

  /// A series that was 0 in all blocks before. Returns its index.
  std::size_t add_series();
  [[nodiscard]] std::size_t series() const;
  [[nodiscard]] std::size_t steps_taken() const;
  /// The next block of every series: increments in, whitened values out. `v` >= 0 is the sampling variance.
  /// Throws InvalidParameter beyond the filter's steps.
  void next(double v, std::span<double> values);

  struct Method;

 private:
  std::unique_ptr<Method> method_;
};

}  // namespace jme
