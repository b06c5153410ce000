#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace jme::testing {

using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// Q(x), the upper tail of the standard normal law.
inline Digits50 normal_tail(const Digits50& x) {
  return boost::math::erfc(Digits50(x / sqrt(Digits50(2)))) / 2;
}

/// R(x) = Q(x) / phi(x).
inline Digits50 mills_ratio_50(const Digits50& x) {
  const Digits50 pi = boost::math::constants::pi<Digits50>();
  return normal_tail(x) * sqrt(2 * pi) * exp(Digits50(x * x / 2));
}

/// delta(sigma, epsilon) of the Gaussian mechanism at sensitivity 1 as Balle & Wang write it, a difference of
/// two normal tails: even where 15 digits cancel, 35 remain.
inline Digits50 gaussian_delta_50(double sigma, double epsilon) {
  const Digits50 s(sigma);
  const Digits50 e(epsilon);
  const Digits50 mu = 1 / s;
  return normal_tail(e * s - mu / 2) - exp(e) * normal_tail(e * s + mu / 2);
}

}  // namespace jme::testing
