#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme::bench {

/// A few rows of norm at most 1 that are handed out again and again: the cost does not depend on the data,
/// but on where they come from (a cache, not a generator).
class RowPool {
 public:
  RowPool(std::size_t dimension, std::size_t rows);
  [[nodiscard]] std::span<const double> next();

 private:
  std::size_t dimension_, taken_ = 0;
  std::vector<double> values_;
};

struct StreamSize {
  std::size_t dimension;
  std::size_t rows;
  std::size_t every = 1;
  unsigned threads = 1;
};
/// Prefix sums of both moments, shaped by scaled-blt:4. The noise multiplier (about that of epsilon 1, delta
/// 1e-5) does not change the cost.
[[nodiscard]] Mechanism prefix_mechanism(const StreamSize& size);

void push(MomentStream& stream, RowPool& pool, std::size_t rows);

}  // namespace jme::bench
