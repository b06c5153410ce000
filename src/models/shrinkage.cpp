#include "models/shrinkage.hpp"

#include <cmath>
#include <vector>

namespace jme::models {

double smoothed_reciprocal(double u) {
  if (std::abs(u) <= 2) return u / 2;
  // (u - sgn(u) sqrt(u^2 - 4))/2 without its cancellation.
  return 2 / (u + std::copysign(std::sqrt((u - 2) * (u + 2)), u));
}

Eigen::VectorXd pooled(const Eigen::VectorXd& values) {
  struct Block {
    double mean;
    Eigen::Index size;
  };
  std::vector<Block> blocks;
  for (const double value : values) {
    Block block{.mean = value, .size = 1};
    while (!blocks.empty() && blocks.back().mean > block.mean) {
      const Block& before = blocks.back();
      const Eigen::Index size = before.size + block.size;
      block = {.mean = (before.mean * static_cast<double>(before.size) +
                        block.mean * static_cast<double>(block.size)) /
                       static_cast<double>(size),
               .size = size};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  Eigen::VectorXd result(values.size());
  Eigen::Index at = 0;
  for (const Block& block : blocks) {
    result.segment(at, block.size).setConstant(block.mean);
    at += block.size;
  }
  return result;
}

Eigen::VectorXd shrunk(const Eigen::VectorXd& values, double off) {
  const auto d = static_cast<double>(values.size());
  const double width = std::sqrt(off * d) / std::cbrt(d);
  if (!(width > 0)) return values;
  Eigen::VectorXd result = values;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    double push = 0;
    for (const double other : values) push += smoothed_reciprocal((values(i) - other) / width);
    result(i) -= 2 * off * push / width;
  }
  return pooled(result);
}

Eigen::VectorXd on_simplex(const Eigen::VectorXd& values, double sum) {
  if (!(sum > 0)) return Eigen::VectorXd::Zero(values.size());
  // The largest k entries stay above 0 and are moved by the same amount.
  double moved = 0, total = -sum;
  for (Eigen::Index k = 1; k <= values.size(); ++k) {
    const double value = values(values.size() - k);
    total += value;
    const double move = total / static_cast<double>(k);
    if (!(value > move)) break;
    moved = move;
  }
  return (values.array() - moved).cwiseMax(0.0);
}

}  // namespace jme::models
