#pragma once

#include <cstddef>
#include <vector>

#include "experiments/sigma_curve.hpp"

namespace jme::experiments {

/// The second moment's squared errors when something is published every `every` rows.
struct ScheduleErrors {
  std::size_t every;
  SigmaCurve jme, pp, pp_debiased;
};
/// For every = 1, 2, 4, ... up to all rows (or the window's length, which must be a multiple).
[[nodiscard]] std::vector<ScheduleErrors> schedule_errors(const Workload& workload, std::size_t horizon_rows,
                                                          std::size_t dimension);

/// The dimension up to which JME has less error than debiased PP at every sigma. As sigma goes to 0 the ratio
/// of their squared errors is proportional to d for d >= 2 (MATH 6: d(d+1)/2 entries against a middle term
/// with d+1); `errors` are those of `dimension`.
[[nodiscard]] double least_dimension(const ScheduleErrors& errors, std::size_t dimension);

}  // namespace jme::experiments
