#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace jme::bench {

/// Two ways to do the same thing, measured in turns so that both run under the same conditions.
struct Comparison {
  std::string what;
  double ours, beside;           ///< seconds, medians
  double ratio;                  ///< the median of the turns' ratios
  double target;                 ///< of the ratio; 0: none
  bool more_is_better;           ///< ratio is beside / ours; else ours / beside
  double our_peak, beside_peak;  ///< bytes of the process while one of them runs

  [[nodiscard]] bool holds() const { return more_is_better ? ratio >= target : ratio <= target; }
};

[[nodiscard]] Comparison in_turns(const std::string& what, const Effort& effort,
                                  const std::function<void()>& ours, const std::function<void()>& beside,
                                  Clock clock, double target, bool more_is_better);

/// The optimiser's own step against torch's elementwise operators with two draws of normal_ per parameter.
[[nodiscard]] std::vector<Comparison> adam_steps(const Effort& effort, unsigned threads);
/// One training step with private gradients against the same without.
[[nodiscard]] std::vector<Comparison> training_steps(const Effort& effort, unsigned threads);

}  // namespace jme::bench
