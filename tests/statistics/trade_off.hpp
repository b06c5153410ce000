#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

namespace jme::trade_off {

/// False alarm of one comparison.
inline constexpr double alarm = 1e-10;

inline double lower_limit(std::size_t hits, std::size_t trials) {
  return hits == 0 ? 0
                   : boost::math::binomial_distribution<>::find_lower_bound_on_p(
                         static_cast<double>(trials), static_cast<double>(hits), alarm / 2);
}
inline double upper_limit(std::size_t hits, std::size_t trials) {
  return hits == trials ? 1
                        : boost::math::binomial_distribution<>::find_upper_bound_on_p(
                              static_cast<double>(trials), static_cast<double>(hits), alarm / 2);
}

/// True where some threshold shows more power than mu-GDP allows, in either direction of the test.
inline bool exceeds_curve(std::vector<double> under_y, std::vector<double> under_x, double mu) {
  const boost::math::normal normal;
  std::sort(under_x.begin(), under_x.end());
  std::sort(under_y.begin(), under_y.end());
  const std::size_t trials = under_x.size();
  for (std::size_t quantile = 1; quantile < 20; ++quantile) {
    const double threshold = under_y[trials * quantile / 20];
    const auto above = [&](const std::vector<double>& sample) {
      return static_cast<std::size_t>(sample.end() -
                                      std::upper_bound(sample.begin(), sample.end(), threshold));
    };
    const double false_alarms = upper_limit(above(under_y), trials);
    const double power = lower_limit(above(under_x), trials);
    if (false_alarms < 1 && power > cdf(normal, boost::math::quantile(normal, false_alarms) + mu))
      return true;
    // And the mirrored test: accept below the threshold.
    const double misses = upper_limit(trials - above(under_x), trials);
    const double correct = lower_limit(trials - above(under_y), trials);
    if (misses < 1 && correct > cdf(normal, boost::math::quantile(normal, misses) + mu)) return true;
  }
  return false;
}

}  // namespace jme::trade_off
