#pragma once

#include <cstddef>

#include <jme/sensitivity/joint.hpp>

namespace jme::sensitivity {

/// The nu up to which the joint gain stays at its value for nu = 0
/// (docs/theory/sensitivity.md#the-gain-of-one-row): 1/2, for d = 1 (11 + 5 sqrt 5)/8, and 0 under
/// add-remove.
[[nodiscard]] double free_gain_limit(Adjacency adjacency, std::size_t dimension);

/// The weight of the trace of the second moment, over that of a diagonal entry, up to which it is free beside
/// the free weight of the second moment for d >= 2: (11 + 5 sqrt 5)/4 - 1.
inline constexpr double free_trace_weight = 4.545084971874737;

/// sup over rows x, y of norm <= 1 of ||x - y||^2 + nu ||xx' - yy'||^2 + nu trace (|x|^2 - |y|^2)^2, under
/// replace-one for d >= 2 (GUARANTEES.md, "The trace in the ball").
[[nodiscard]] double traced_gain(std::size_t dimension, double nu, double trace);

/// Right derivative of joint_gain in nu. As the gain is a supremum of linear functions, this is the squared
/// change of the second channel at the worst pair.
[[nodiscard]] double joint_gain_slope(Adjacency adjacency, std::size_t dimension, double nu);

/// sup ||xx' - yy'||^2 over rows of norm <= 1, which is also the limit of joint_gain / nu: 2, or 1 where d =
/// 1 or a row is only taken away.
[[nodiscard]] double second_gain(Adjacency adjacency, std::size_t dimension);

}  // namespace jme::sensitivity
