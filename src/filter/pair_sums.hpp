#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>

namespace jme {

/// The sums over pairs of modes that column norms are made of, V_ik <- l^2 + p_i p_k V_ik (backwards,
/// docs/theory/shaping.md#norms-by-recursion). `Size` is at least the number of pairs, the rest stays zero.
template <int Size>
struct PairSums {
  using Numbers = Eigen::Array<double, Size, 1>;
  Numbers ratio, weight, sum;

  PairSums(std::span<const double> poles, std::span<const double> weights, std::span<const double> sums) {
    const std::size_t pairs = poles.size() * (poles.size() + 1) / 2;
    if constexpr (Size == Eigen::Dynamic) {
      for (Numbers* numbers : {&ratio, &weight, &sum}) numbers->resize(static_cast<Eigen::Index>(pairs));
    }
    ratio.setZero();
    weight.setZero();
    sum.setZero();
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < poles.size(); ++i) {
      for (std::size_t k = 0; k <= i; ++k, ++at) {
        ratio(at) = poles[i] * poles[k];
        weight(at) = (i == k ? 1 : 2) * weights[i] * weights[k];
        sum(at) = sums[static_cast<std::size_t>(at)];
      }
    }
  }
  void copy_to(std::span<double> sums) const {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum(static_cast<Eigen::Index>(i));
  }
};

/// Calls `work` with the PairSums of fitting size.
template <typename Work>
void with_pair_sums(std::span<const double> poles, std::span<const double> weights,
                    std::span<const double> sums, const Work& work) {
  switch (poles.size()) {
    case 0:
    case 1:
    case 2:
      return work(PairSums<4>(poles, weights, sums));
    case 3:
      return work(PairSums<6>(poles, weights, sums));
    case 4:
      return work(PairSums<10>(poles, weights, sums));
    case 5:
      return work(PairSums<16>(poles, weights, sums));
    case 6:
      return work(PairSums<22>(poles, weights, sums));
    default:
      return work(PairSums<Eigen::Dynamic>(poles, weights, sums));
  }
}

}  // namespace jme
