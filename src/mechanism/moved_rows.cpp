#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/mechanism/moved_rows.hpp>

#include "filter/norms.hpp"

namespace jme {

double mu_of_moved_rows(const Mechanism& mechanism) {
  constexpr double up = 1 + 0x1p-48;
  // Two windows change, in each of which rows leave and others come.
  const std::optional<RowWindows>& windows = mechanism.config().participation.windows;
  if (windows && windows->are_units) return 4 * mechanism.mu() * up;
  // A person's rows leave one set of slots and come into another: each of the two costs mu at most.
  if (mechanism.config().participation.rows > 1) return 2 * mechanism.mu() * up;
  double h = negative_product_bound(mechanism.c1());
  if (mechanism.has_second() && !mechanism.second_is_like_first()) {
    h = std::max(h, negative_product_bound(mechanism.c2()));
  }
  return std::sqrt(2 * (1 + h)) * mechanism.mu() * up;
}

std::optional<double> mu_of_all_windows(const Mechanism& mechanism) {
  Participation participation = mechanism.config().participation;
  if (!participation.windows || !participation.windows->are_units) return std::nullopt;
  const std::size_t count = participation.windows->count;
  if (mechanism.horizon().is_unbounded()) return std::numeric_limits<double>::infinity();
  participation.windows->are_units = false;
  participation.rows *= count;
  const bool joint = mechanism.has_second();
  const Exposure all = exposure(mechanism.c1(), joint ? mechanism.c2() : mechanism.c1(),
                                mechanism.noise_horizon(), participation);
  const RowModel rows = mechanism.row_model();
  const Calibration& noise = mechanism.calibration();
  const double of_one = joint_sensitivity(rows, mechanism.exposure(), noise.lambda);
  // What rounding adds grows with the number of windows at most.
  const double slack = std::max(0.0, noise.sensitivity - of_one);
  const auto windows = static_cast<double>(count);
  const double ratio =
      (joint_sensitivity(rows, all, noise.lambda) + windows * slack) / (of_one + slack) * (1 + 0x1p-40);
  return std::clamp(ratio, 1.0, windows) * mechanism.mu() * (1 + 0x1p-48);
}

}  // namespace jme
