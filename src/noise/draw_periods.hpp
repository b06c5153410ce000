#pragma once

#include <cstdint>
#include <vector>

#include "random/gaussian_source.hpp"

namespace jme {

/// From this noise step on, until the next period's first step, draws come from this source.
struct DrawPeriod {
  std::uint64_t first_step;
  GaussianSource source;
};

/// Where every step's draws come from, in a stream that was opened several times: each opening brings a fresh
/// nonce (docs/theory/safety.md#one-nonce-per-step), and an older step's draws can still be made again under
/// its own.
class DrawPeriods {
 public:
  DrawPeriods(const GaussianSource& source)  // NOLINT(google-explicit-constructor): one source for all steps
      : periods_{{.first_step = 0, .source = source}} {}
  /// Throws StateError unless the first period begins at step 0 and each later one after the one before.
  explicit DrawPeriods(std::vector<DrawPeriod> periods);

  [[nodiscard]] const GaussianSource& at(std::uint64_t step) const;

 private:
  std::vector<DrawPeriod> periods_;
};

}  // namespace jme
