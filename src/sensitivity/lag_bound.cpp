#include "sensitivity/lag_bound.hpp"

#include <algorithm>
#include <limits>

#include "filter/norms.hpp"

namespace jme::sensitivity {

std::vector<double> lag_bound_sums(const Filter& c, const Horizon& horizon, std::size_t participations,
                                   std::size_t separation) {
  const std::size_t p = participations;
  const std::size_t rows_in_block = 1 + (horizon.every() - 1) / separation;
  const auto lag = [&](std::size_t apart) { return apart * separation / horizon.every(); };

  // Each lag is computed once: with blocks longer than the separation, lags repeat.
  std::vector<std::size_t> lags{0, 1};
  for (std::size_t m = rows_in_block; m < p; ++m) {
    if (lags.back() != lag(m)) lags.push_back(lag(m));
  }
  const std::vector<double> bounds = gram_lag_bounds(c, lags);

  // far[m]: the sum of G over distances rows_in_block .. m, which are all at least one block.
  std::vector<double> far(p, 0.0);
  std::size_t at = 1;
  for (std::size_t m = rows_in_block; m < p; ++m) {
    while (lags[at] < lag(m)) ++at;
    far[m] = far[m - 1] + bounds[at];
  }
  const double up =
      1 + static_cast<double>(p + 4) * std::numeric_limits<double>::epsilon();  // past the summation
  std::vector<double> sums;
  for (std::size_t i = 0; i < p; ++i) {
    const std::size_t before = i;
    const std::size_t after = p - 1 - i;
    const std::size_t near = 1 + std::min(before, rows_in_block - 1) + std::min(after, rows_in_block - 1);
    const std::size_t shared = std::min(near, rows_in_block);
    const double close =
        static_cast<double>(shared) * bounds[0] + static_cast<double>(near - shared) * bounds[1];
    sums.push_back(up * (close + far[before] + far[after]));
  }
  return sums;
}

}  // namespace jme::sensitivity
