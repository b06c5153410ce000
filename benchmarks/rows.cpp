#include "rows.hpp"

#include <cmath>
#include <random>

namespace jme::bench {

RowPool::RowPool(std::size_t dimension, std::size_t rows) : dimension_(dimension), values_(dimension * rows) {
  std::mt19937_64 generator(1);
  const double side = 1 / std::sqrt(static_cast<double>(dimension));
  std::uniform_real_distribution<double> coordinate(-side, side);
  for (double& value : values_) value = coordinate(generator);
}

std::span<const double> RowPool::next() {
  const std::span<const double> row(values_.data() + taken_, dimension_);
  taken_ = taken_ + dimension_ == values_.size() ? 0 : taken_ + dimension_;
  return row;
}

Mechanism prefix_mechanism(const StreamSize& size) {
  return Mechanism({.budget = {.sigma = 4},
                    .rows = size.rows,
                    .every = size.every,
                    .dimension = size.dimension,
                    .norm_bound = 1,
                    .workload = prefix(),
                    .shape = Shape::scaled_blt(4),
                    .threads = size.threads});
}

void push(MomentStream& stream, RowPool& pool, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) stream.push(pool.next());
}

}  // namespace jme::bench
