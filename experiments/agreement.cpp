#include "experiments/agreement.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

namespace jme::experiments {

void Agreement::compare(const Sample& simulated, double expected) {
  ++comparisons_;
  const double chance = simulated.chance(expected);
  if (!(chance >= false_alarm)) ++disagreements_;
  least_chance_ = std::min(least_chance_, chance);
  ratios_ += simulated.mean / expected;
  variances_ += std::pow(simulated.std_error() / expected, 2);
}

Agreement& Agreement::operator+=(const Agreement& other) {
  comparisons_ += other.comparisons_;
  disagreements_ += other.disagreements_;
  least_chance_ = std::min(least_chance_, other.least_chance_);
  ratios_ += other.ratios_;
  variances_ += other.variances_;
  return *this;
}

double Agreement::mean_ratio_error() const {
  return std::sqrt(variances_) / static_cast<double>(comparisons_);
}

double Agreement::mean_ratio_limit() const {
  return mean_ratio_error() *
         boost::math::quantile(boost::math::complement(boost::math::normal(), false_alarm / 2));
}

Claim Agreement::claim() const {
  Claim claim{.statement = "Simulated runs of the mechanism itself lie on the theoretical curves.",
              .from_paper = false,
              .verdict = Verdict::open,
              .found = "Nothing was simulated."};
  if (comparisons_ == 0) return claim;
  const bool agrees = disagreements_ == 0 && std::abs(mean_ratio() - 1) <= mean_ratio_limit();
  const bool has_power = mean_ratio_limit() < must_notice;
  claim.verdict = !agrees ? Verdict::refuted : has_power ? Verdict::confirmed : Verdict::partly;
  claim.found = fmt::format(
      "{} of {} points agree; the least likely of them has p = {:.2g} (Student's t over its runs). Simulated "
      "squared errors are {:.4f} ± {:.4f} of theory's on average; {}",
      comparisons_ - disagreements_, comparisons_, least_chance_, mean_ratio(), mean_ratio_error(),
      has_power ? fmt::format("{:.1f}% off would be noticed.", 100 * mean_ratio_limit())
                : "too few runs to notice noise 10% too small.");
  return claim;
}

void add_root_point(Series& points, double x, const Sample& squared_error, double scale) {
  const double root = std::sqrt(squared_error.mean);
  points.x.push_back(x);
  points.y.push_back(scale * root);
  points.std_error.push_back(scale * squared_error.std_error() / (2 * root));
}

}  // namespace jme::experiments
