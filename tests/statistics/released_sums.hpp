#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/release.hpp>

#include "statistics/released_parts.hpp"

namespace jme::released_sums {

/// What was released, as vectors: values and counts, products and counts of pairs.
struct Released {
  std::vector<std::vector<double>> first, second;

  void add(const Release& release) {
    std::vector<double> one(release.first().begin(), release.first().end());
    one.insert(one.end(), release.counts().begin(), release.counts().end());
    if (release.row_count()) one.push_back(*release.row_count());
    std::vector<double> two(release.second().begin(), release.second().end());
    two.insert(two.end(), release.pair_counts().begin(), release.pair_counts().end());
    first.push_back(std::move(one));
    second.push_back(std::move(two));
  }
};

/// The norm of the difference in both channels in units of the noise, for prefix sums with the same noise on
/// both sides: at most mu, if all is well.
inline double moved(const Mechanism& mechanism, const Released& a, const Released& b) {
  const released_parts::Parts noise = released_parts::deviations(mechanism);
  double sum = 0;
  const auto add = [&](const auto& ours, const auto& theirs, const Filter& shape,
                       const Eigen::VectorXd& std) {
    const auto steps = static_cast<Eigen::Index>(ours.size());
    const auto width = static_cast<Eigen::Index>(ours.front().size());
    Eigen::MatrixXd blocks(steps, width);  // the difference of blocks: running sums undone
    for (Eigen::Index t = 0; t < steps; ++t) {
      for (Eigen::Index i = 0; i < width; ++i) {
        const auto s = static_cast<std::size_t>(t), k = static_cast<std::size_t>(i);
        const double now = ours[s][k] - theirs[s][k];
        const double before = s == 0 ? 0 : ours[s - 1][k] - theirs[s - 1][k];
        blocks(t, i) = (now - before) / std(i);
      }
    }
    sum += (shape.to_dense() * blocks).squaredNorm();
  };
  add(a.first, b.first, mechanism.c1(), noise.first);
  add(a.second, b.second, mechanism.c2(), noise.second);
  return std::sqrt(sum);
}

}  // namespace jme::released_sums
