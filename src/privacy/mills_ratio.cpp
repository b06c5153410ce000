#include "privacy/mills_ratio.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace jme::privacy {
namespace {

// Laplace's continued fraction R(x) = 1/(x + K), K = 1/(x + 2/(x + 3/(x + ...))). From x = 5 on, 60 terms
// reach double precision; below, the quotient of erfc and the density loses less than 10 units in the last
// place.
constexpr double fraction_from = 2.5;
constexpr int fraction_terms = 100;

double fraction_tail(double x) {
  double tail = x;
  for (int k = fraction_terms; k >= 2; --k) tail = x + k / tail;
  return 1 / tail;
}

double quotient(double x) {
  const double root_half_pi = std::sqrt(std::numbers::pi / 2);
  return root_half_pi * std::exp(x * x / 2) * std::erfc(x / std::numbers::sqrt2);
}

}  // namespace

double mills_ratio(double x) {
  return x < fraction_from ? quotient(x) : 1 / (x + fraction_tail(x));
}

double mills_slope(double x) {
  if (x < fraction_from) return 1 - x * quotient(x);
  const double tail = fraction_tail(x);
  return tail / (x + tail);  // 1 - x/(x + K), exactly
}

double mills_drop(double x, double width) {
  // Gauss-Legendre with ten points. mills_slope is entire and varies on the scale of 1, so that the remainder
  // on an interval of length <= 1 is far below double precision.
  constexpr std::array<double, 5> nodes{0.14887433898163121, 0.43339539412924719, 0.67940956829902441,
                                        0.86506336668898451, 0.97390652851717172};
  constexpr std::array<double, 5> weights{0.29552422471475287, 0.26926671930999635, 0.21908636251598204,
                                          0.14945134915058059, 0.066671344308688138};
  const double half = width / 2;
  const double middle = x + half;
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum += weights[i] * (mills_slope(middle - half * nodes[i]) + mills_slope(middle + half * nodes[i]));
  }
  return half * sum;
}

}  // namespace jme::privacy
