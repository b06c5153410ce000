#pragma once

#include <cstddef>

#include <jme/base/geometry.hpp>
#include <jme/base/values.hpp>

namespace jme {

/// What is released of rows in the box [-1, 1]^d, weighed against their values, which have weight 1. Two rows
/// x, y with present cells p, q (an absent cell has the value 0), which exist if r, r' are 1, are apart by
///
///     f =   sum_i (x_i - y_i)^2  +  cells sum_i (p_i - q_i)^2  +  row (r - r')^2
///         + diagonal sum_i (x_i^2 - y_i^2)^2
///         + off_diagonal / (d - 1) sum_{i < j} (x_i x_j - y_i y_j)^2
///         + pairs / (d - 1) sum_{i < j} (p_i p_j - q_i q_j)^2 .
struct BoxWeights {
  double diagonal = 0, off_diagonal = 0;
  double cells = 0, pairs = 0, row = 0;
};

/// L: the largest weight of the diagonal beside this weight of the off-diagonal products, in [0, 1], that
/// complete rows allow at no cost; rounded down. L(0) = (11 + 5 sqrt 5)/8, L(1) = 2.
[[nodiscard]] double largest_diagonal_weight(double off_diagonal);

/// True if f is at most 4d, which the values alone can reach: everything besides them is then free. Exact:
/// with any larger weight some pair of rows is farther apart (GUARANTEES.md).
[[nodiscard]] bool are_free(const BoxWeights& weights, std::size_t dimension, Presence presence);

/// The free weights that we use for what is released of the second moment.
[[nodiscard]] BoxWeights free_weights(SecondMoment second, std::size_t dimension, Presence presence);

}  // namespace jme
