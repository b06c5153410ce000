#include "mechanism/rounding_payment.hpp"

#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/privacy/gaussian.hpp>

namespace jme {

RoundingPayment pay_for_rounding(const Budget& budget, double sigma, const NoiseDistance& distance) {
  RoundingPayment payment{.sigma = sigma, .mu = gdp_mu(sigma), .bad_past = distance.bad_past, .cost = 0};
  if (distance.mu == 0) return payment;
  const std::optional<ApproxDp> target = budget.approx_dp();
  if (!target) {
    payment.cost = distance.mu / payment.mu;
    payment.mu += distance.mu;
    return payment;
  }
  payment.mu = gdp_budget(*target, distance.bad_past);
  if (!(distance.mu < payment.mu)) {
    throw InvalidParameter(
        "epsilon", target->epsilon,
        "larger, or the run shorter, or its shape identity: shaped noise has rounding errors, and over so "
        "many draws they are more than that");
  }
  payment.sigma = std::max(sigma, (1 + 0x1p-50) / (payment.mu - distance.mu));
  payment.cost = payment.sigma / sigma - 1;
  return payment;
}

}  // namespace jme
