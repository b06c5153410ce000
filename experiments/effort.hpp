#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace jme::experiments {

/// How much work an item may be, and where it reports to.
struct Effort {
  bool quick = false;  ///< fewer simulated runs and smaller dense problems; theory curves stay the same
  unsigned threads = 2;
  std::uint64_t seed = 1;
  std::string training_results{};  ///< the training program's results, file or folder; empty: there are none
  /// Called with the part done in [0, 1], from one thread.
  std::function<void(double)> progress = [](double) {};

  [[nodiscard]] std::size_t runs(std::size_t full, std::size_t reduced) const {
    return quick ? reduced : full;
  }
  /// The same effort whose progress fills only [begin, end] of this one's.
  [[nodiscard]] Effort part(double begin, double end) const {
    Effort inner = *this;
    inner.progress = [outer = progress, begin, end](double done) { outer(begin + (end - begin) * done); };
    return inner;
  }
};

}  // namespace jme::experiments
