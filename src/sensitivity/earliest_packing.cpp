#include "sensitivity/earliest_packing.hpp"

#include <algorithm>
#include <limits>

#include "filter/convolution.hpp"
#include "filter/correlation.hpp"

namespace jme::sensitivity {

bool earliest_packing_is_worst(const Filter& c, const Horizon& horizon) {
  if (!c.is_toeplitz() || horizon.has_slots() || horizon.every() != 1) return false;
  const std::vector<double> taps = c.core().coefficients(c.steps());
  return taps.back() >= 0 && std::ranges::is_sorted(taps, std::ranges::greater{});
}

// The sums are those of C'C over the rows taken, C'(C v) there with v their indicator. (C v)_t adds the last
// p of c_t, c_{t-b}, c_{t-2b}, ...: a window in every residue class of b.
std::vector<double> earliest_packing_sums(const Filter& c, std::size_t participations,
                                          std::size_t separation) {
  const std::size_t n = c.steps();
  const std::vector<double> taps = c.core().coefficients(n);
  std::vector<double> reached(n), every_bth;
  for (std::size_t start = 0; start < std::min(separation, n); ++start) {
    every_bth.clear();
    for (std::size_t t = start; t < n; t += separation) every_bth.push_back(taps[t]);
    const std::vector<double> windows = window_sums(every_bth, participations);
    for (std::size_t i = 0; i < windows.size(); ++i) reached[start + i * separation] = windows[i];
  }
  std::vector<std::size_t> rows(participations);
  for (std::size_t i = 0; i < participations; ++i) rows[i] = i * separation;
  std::vector<double> sums = correlation_bounds(taps, reached, rows);
  // A factor that covers the rounding of the windows, which are sums of at most p terms.
  const double up = 1 + static_cast<double>(participations + 4) * std::numeric_limits<double>::epsilon();
  for (double& sum : sums) sum *= up;
  return sums;
}

}  // namespace jme::sensitivity
