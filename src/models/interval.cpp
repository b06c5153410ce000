#include <cmath>

#include <jme/models/interval.hpp>

namespace jme {
namespace {

template <class Result, class Numbers>
Result around(const Numbers& value, const Numbers& noise_std) {
  Result result{.low = value - half_95 * noise_std, .high = value + half_95 * noise_std};
  bool few_rows = false, not_finite = false;
  for (Eigen::Index k = 0; k < value.size(); ++k) {
    double &low = result.low.data()[k], &high = result.high.data()[k];
    const bool is_known = !std::isnan(value.data()[k]);
    few_rows = few_rows || !is_known;
    if (is_known && std::isfinite(low) && std::isfinite(high)) continue;
    not_finite = not_finite || is_known;
    low = high = NAN;
  }
  if (few_rows) result.reasons.push_back(NoInterval::few_rows);
  if (not_finite) result.reasons.push_back(NoInterval::not_finite);
  return result;
}

}  // namespace

std::string_view sentence(NoInterval reason) {
  switch (reason) {
    case NoInterval::few_rows:
      return "too few rows: a count that the number needs is not above its noise yet";
    case NoInterval::unusable:
      return "the noise is as large as a variance: it is not known whether the number exists";
    case NoInterval::wide:
      return "the noise hides the number: its interval is as wide as its range";
    case NoInterval::not_finite:
      break;
  }
  return "the noise on the number is not finite";
}

NumberInterval interval_of(const Estimate& estimate) {
  const VectorInterval result =
      interval_of(VectorEstimate{.value = Eigen::VectorXd::Constant(1, estimate.value),
                                 .noise_std = Eigen::VectorXd::Constant(1, estimate.noise_std)});
  return {.low = result.low(0), .high = result.high(0), .reasons = result.reasons};
}

VectorInterval interval_of(const VectorEstimate& estimate) {
  return around<VectorInterval>(estimate.value, estimate.noise_std);
}

MatrixInterval interval_of(const MatrixEstimate& estimate) {
  return around<MatrixInterval>(estimate.value, estimate.noise_std);
}

}  // namespace jme
