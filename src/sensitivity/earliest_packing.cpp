#include "sensitivity/earliest_packing.hpp"

#include <algorithm>
#include <limits>

namespace jme::sensitivity {

bool earliest_packing_is_worst(const Filter& c, const Horizon& horizon) {
  if (!c.is_toeplitz() || horizon.every() != 1) return false;
  const std::vector<double> taps = c.core().coefficients(c.steps());
  return taps.back() >= 0 && std::ranges::is_sorted(taps, std::ranges::greater{});
}

std::vector<double> earliest_packing_sums(const Filter& c, std::size_t participations,
                                          std::size_t separation) {
  const std::size_t n = c.steps();
  const std::vector<double> taps = c.core().coefficients(n);
  std::vector<double> sums(participations, 0.0);
  for (std::size_t apart = 0; apart < participations; ++apart) {
    // (C'C)_ij at positions i < j, lag j - i: the sum of c_u c_{u+lag} over u < n - j. The latest pair has
    // the fewest terms.
    const std::size_t lag = apart * separation;
    double entry = 0;
    std::size_t u = 0;
    for (std::size_t j = participations; j-- > apart;) {
      for (; u < n - j * separation; ++u) entry += taps[u] * taps[u + lag];
      sums[j] += entry;
      if (apart > 0) sums[j - apart] += entry;
    }
  }
  // Rounded up past the summation: every entry adds at most n non-negative terms, every sum 2p entries.
  const double roundings = static_cast<double>(n + 2 * participations);
  for (double& sum : sums) sum *= 1 + roundings * std::numeric_limits<double>::epsilon();
  return sums;
}

}  // namespace jme::sensitivity
