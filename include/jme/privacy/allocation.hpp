#pragma once

#include <cstdint>

#include <jme/base/values.hpp>

namespace jme {

/// Private training in which every row takes part once in an epoch: in one of its `turns`, drawn uniformly
/// and independently of all else. `sigma` is the noise's standard deviation divided by the largest length of
/// one row's contribution. Neighbours are add-remove; nothing is known here for replace-one.
///
/// With noise shaped by a matrix of b bands with unit columns, a row's turns are the steps of its class,
/// every b-th one: one in `turns` of them for each epoch (src/privacy/GUARANTEES.md).
///
///   const double epsilon = allocation_epsilon({.turns = 100, .epochs = 4, .sigma = 0.8}, 1e-6);
struct Allocation {
  std::uint64_t turns = 1;   ///< 1 .. 2^20
  std::uint64_t epochs = 1;  ///< 1 .. 2^20
  double sigma = 1;          ///< 0.05 .. 1e9
};

/// Least epsilon of all epochs together at this delta, rounded up: discretisation, truncation and
/// floating-point errors are on the safe side. The larger of both directions, and never above that of a fixed
/// order of the rows.
[[nodiscard]] double allocation_epsilon(const Allocation& mechanism, Delta delta);

/// Both directions by themselves: the row was removed, or it was added.
struct AllocationEpsilons {
  double remove, add;
};
[[nodiscard]] AllocationEpsilons allocation_epsilons(const Allocation& mechanism, Delta delta);

/// Least sigma, to 1e-5 relative and rounded up, whose allocation_epsilon is within the budget;
/// `mechanism.sigma` is ignored.
[[nodiscard]] double allocation_noise_multiplier(const Allocation& mechanism, ApproxDp budget);

}  // namespace jme
