#include "moments/step_threads.hpp"

#include <algorithm>
#include <thread>

namespace jme {

unsigned threads_for_step(std::size_t width, std::optional<unsigned> asked) {
  const unsigned most = std::max(asked.value_or(std::thread::hardware_concurrency()), 1U);
  return static_cast<unsigned>(std::clamp<std::size_t>(width / (4 * coordinates_per_piece), 1, most));
}

}  // namespace jme
