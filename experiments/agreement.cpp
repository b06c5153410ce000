#include "experiments/agreement.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace jme::experiments {

void Agreement::compare(const Sample& simulated, double expected) {
  ++comparisons_;
  const double distance = simulated.distance(expected);
  if (!(distance <= simulated.limit(false_alarm))) ++disagreements_;
  farthest_ = std::max(farthest_, distance);
  farthest_relative_ = std::max(farthest_relative_, std::abs(std::sqrt(simulated.mean / expected) - 1));
}

Agreement& Agreement::operator+=(const Agreement& other) {
  comparisons_ += other.comparisons_;
  disagreements_ += other.disagreements_;
  farthest_ = std::max(farthest_, other.farthest_);
  farthest_relative_ = std::max(farthest_relative_, other.farthest_relative_);
  return *this;
}

Claim Agreement::claim() const {
  return {
      .statement = "Simulated runs of the mechanism itself lie on the theoretical curves.",
      .from_paper = false,
      .verdict = comparisons_ == 0 ? Verdict::open : verdict_of(disagreements_ == 0),
      .found = comparisons_ == 0
                   ? "Nothing was simulated."
                   : fmt::format("{} of {} points agree; the farthest is {:.1f} standard errors ({:.1f}%) "
                                 "off.",
                                 comparisons_ - disagreements_, comparisons_, farthest_,
                                 100 * farthest_relative_)};
}

void add_root_point(Series& points, double x, const Sample& squared_error, double scale) {
  const double root = std::sqrt(squared_error.mean);
  points.x.push_back(x);
  points.y.push_back(scale * root);
  points.std_error.push_back(scale * squared_error.std_error() / (2 * root));
}

}  // namespace jme::experiments
