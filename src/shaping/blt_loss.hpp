#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/shaping/shape.hpp>

namespace jme::shaping {

/// log of (||C||_{1->2} rmse-or-max of A C^-1)^2, up to a constant, for a plain BLT: C = T, one of the
/// workloads below. In closed form, O(p^2) whatever the number of steps (mean: O(p log n)), because rows of A
/// T^-1 are sums of exponentials.
class BltLoss {
 public:
  struct Problem {
    std::size_t steps;
    double decay = 1;        ///< per step
    std::size_t window = 0;  ///< in steps; 0: none
    bool mean = false;       ///< always by rmse: identity has the least possible maximum, release 1's
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
