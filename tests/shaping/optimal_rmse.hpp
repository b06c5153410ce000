#pragma once

#include <cstddef>

#include <jme/workload/workload.hpp>

namespace jme::shaping {

/// Certified optimal rmse (primal-dual gap below 1e-5), to the digits of
/// docs/theory/shaping.md#how-good-each-class-is.
struct OptimalRmse {
  Workload workload;
  std::size_t steps;
  double rmse;
  double half_digit;  ///< half a unit of the last printed digit
};

inline const OptimalRmse optimal_rmse[] = {
    {prefix(), 100, 2.23550, 5e-6},    {prefix(), 1000, 2.94804, 5e-6},   {decay(0.9), 100, 1.44089, 5e-6},
    {decay(0.9), 1000, 1.45075, 5e-6}, {decay(0.999), 100, 2.2044, 5e-5}, {decay(0.999), 1000, 2.7115, 5e-5},
    {mean(), 100, 0.17086, 5e-6},      {mean(), 1000, 0.055072, 5e-7},    {window(10), 100, 0.18882, 5e-6},
    {window(10), 1000, 0.19193, 5e-6},
};

inline double optimum_of(const Workload& workload, std::size_t steps) {
  for (const OptimalRmse& entry : optimal_rmse) {
    if (entry.workload.name() == workload.name() && entry.steps == steps) return entry.rmse;
  }
  return 0;
}

}  // namespace jme::shaping
