#pragma once

#include <cstddef>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/sensitivity/joint.hpp>

namespace jme {

/// One person contributes at most `rows` rows, any two at least `separation` rows apart.
struct Participation {
  std::size_t rows = 1;
  std::size_t separation = 1;
};

/// How many rows of one person fit into the horizon at that separation; never more than participation.rows.
[[nodiscard]] std::size_t rows_that_fit(const Horizon& horizon, const Participation& participation);

/// What such a person can move through C1 and C2 on this horizon: exact columns for one row; for several rows
/// the earliest packing where it is the worst (non-negative non-increasing Toeplitz, one row per step), else
/// bounds by G(l) of docs/theory/sensitivity.md#several-rows-of-one-person (sound for any C): full steps
/// where rows may be anywhere, exact where all fit into one step, and blocks with multiplicities where they
/// are separated.
[[nodiscard]] Exposure exposure(const Filter& c1, const Filter& c2, const Horizon& horizon,
                                const Participation& participation);

}  // namespace jme
