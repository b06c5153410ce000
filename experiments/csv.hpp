#pragma once

#include <string>

#include "experiments/figure.hpp"

namespace jme::experiments {

/// One line per point: series, x, y, standard error, standard deviation of a run, low, high; empty cells
/// where there is none. RFC 4180.
[[nodiscard]] std::string csv_of(const Chart& chart);
[[nodiscard]] std::string csv_of(const Table& table);

}  // namespace jme::experiments
