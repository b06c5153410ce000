#pragma once

#include <cstddef>
#include <vector>

#include "experiments/sigma_curve.hpp"

namespace jme::experiments {

/// What the charts of schedules, and of low privacy over schedules, are drawn for.
inline constexpr std::size_t schedule_rows = 4096;
inline constexpr double schedule_delta = 1e-6;

/// The second moment's squared errors when something is published every `every` rows. JME has the library's
/// own shape for the releases; PP has C = I, its best shape (docs/errata.md, 9).
struct ScheduleErrors {
  std::size_t every;
  SigmaCurve jme, pp, pp_debiased;
};
/// For every = 1, 2, 4, ... up to all rows (or the window's length, which must be a multiple).
[[nodiscard]] std::vector<ScheduleErrors> schedule_errors(const Workload& workload, std::size_t horizon_rows,
                                                          std::size_t dimension);

/// Root mean square over releases and the d^2 entries.
[[nodiscard]] double per_entry(const SigmaCurve& curve, double sigma, std::size_t dimension,
                               std::size_t releases);

/// A workload with its names on a chart and in a file.
struct ScheduledWorkload {
  const char* subject;
  const char* file;
  Workload workload;
};
[[nodiscard]] std::vector<ScheduledWorkload> scheduled_workloads();

}  // namespace jme::experiments
