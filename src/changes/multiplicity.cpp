#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/special_functions/erf.hpp>

#include <jme/base/errors.hpp>
#include <jme/changes/multiplicity.hpp>

namespace jme {

double two_sided_p(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

double upper_quantile(double tail) {
  if (!(tail > 0 && tail < 1)) throw InvalidParameter("level", tail, "a number in (0, 1)");
  return std::sqrt(2.0) * boost::math::erfc_inv(2 * tail);
}

double bonferroni_factor(std::size_t comparisons, double level) {
  const double tests = static_cast<double>(std::max<std::size_t>(comparisons, 1));
  return upper_quantile(level / 2 / tests);
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.begin(), p.end());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, static_cast<double>(order.size() - k) * p[order[k]]);
    adjusted[order[k]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace jme
