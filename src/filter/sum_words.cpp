#include <algorithm>

#include <jme/filter/sum_words.hpp>

namespace jme {

bool can_have_two_words(const Filter& shape) {
  if (shape.is_dense() || shape.last_row()) return false;
  const Toeplitz& core = shape.core();
  return core.taps.size() == 1 && core.lag_taps.empty() && !core.inverted && !core.modes.empty() &&
         std::all_of(core.modes.begin(), core.modes.end(),
                     [](const Mode& mode) { return mode.pole >= 0 && mode.pole < 1; });
}

}  // namespace jme
