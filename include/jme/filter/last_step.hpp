#pragma once

#include <optional>

namespace jme {

/// What a partial last block replaces in a filter's last row: the row's schedule and the weight of the single
/// mode.
struct LastStep {
  std::optional<double> row{};
  std::optional<double> mode_weight{};
};

}  // namespace jme
