#pragma once

#include <cstddef>

#include <jme/filter/filter.hpp>

namespace jme {

/// 1 / ||column t of T||, rounded down, for a core T with lag taps over `steps` steps.
[[nodiscard]] Schedule lagged_inverse_column_norms(const Toeplitz& core, std::size_t steps);

}  // namespace jme
