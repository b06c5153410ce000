#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/shaping/shape.hpp>

namespace jme::shaping {

/// A BLT as coefficients of powers, with 1 - pole in place of poles: losses in closed form are computed from
/// it.
struct BltPowers {
  /// `x` as in coordinates.hpp, ceiling = decay.
  BltPowers(std::span<const double> x, double decay);

  /// T = 1 + sum_i column_weights_i x / (1 - (1 - pole_gaps_i) x)
  std::vector<double> pole_gaps, column_weights;
  /// T^-1 / (1 - decay x) = sum_i weights_i / (1 - (1 - gaps_i) x), the workload's own pole first.
  std::vector<double> gaps, weights;
};

/// sum_{m < count} r^m, for r = 1 - gap; count need not be whole.
[[nodiscard]] double geometric_sum(double gap, double count);
/// 1 - (1-a)(1-b) without cancellation.
[[nodiscard]] inline double joint_gap(double a, double b) {
  return a + b - a * b;
}

/// log of (||C||_{1->2} rmse-or-max of A C^-1)^2, up to a constant, for a plain BLT: C = T, one of the
/// workloads below. In closed form, O(p^2) whatever the number of steps (mean: O(p log n)), because rows of A
/// T^-1 are sums of exponentials.
class BltLoss {
 public:
  struct Problem {
    std::size_t steps;
    double decay = 1;        ///< per step
    std::size_t window = 0;  ///< in steps; 0: none
    bool mean = false;       ///< always by rmse: the identity has the least maximum, at release 1
    Objective objective = Objective::rmse;
  };
  explicit BltLoss(const Problem& problem);

  /// At the coordinates x (coordinates.hpp, ceiling = decay).
  [[nodiscard]] double operator()(std::span<const double> x) const;

 private:
  [[nodiscard]] double error(std::span<const double> poles, std::span<const double> weights) const;
  [[nodiscard]] double mean_error(std::span<const double> gaps, std::span<const double> weights) const;

  Problem problem_;
  struct Node {
    double lag, weight;
  };
  std::vector<Node> mean_nodes_;
};

}  // namespace jme::shaping
