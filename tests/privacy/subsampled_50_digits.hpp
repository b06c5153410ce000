#pragma once

#include <jme/privacy/subsampled.hpp>

#include "privacy/gaussian_50_digits.hpp"

namespace jme::testing {

/// Two laws on the line as the definition writes them, at 50 digits: means in units of the noise.
struct Mixture50 {
  Digits50 rate;  // probability of `mean`; otherwise the mean is 0
  Digits50 mean;

  [[nodiscard]] Digits50 density(const Digits50& x) const {
    const Digits50 pi = boost::math::constants::pi<Digits50>();
    const auto normal = [&](const Digits50& y) { return Digits50(exp(Digits50(-y * y / 2)) / sqrt(2 * pi)); };
    return (1 - rate) * normal(x) + rate * normal(x - mean);
  }
  [[nodiscard]] Digits50 above(const Digits50& x) const {
    return (1 - rate) * normal_tail(x) + rate * normal_tail(x - mean);
  }
};

struct Pair50 {
  Mixture50 p, q;
  bool rising;  // log p/q rises with x

  /// One row removed: the release was made with it.
  static Pair50 remove(double rate, double sigma) {
    return {{Digits50(rate), 1 / Digits50(sigma)}, {0, 0}, true};
  }
  static Pair50 add(double rate, double sigma) {
    return {remove(rate, sigma).q, remove(rate, sigma).p, false};
  }
  static Pair50 replace(double rate, double sigma) {
    const Digits50 half = 1 / (2 * Digits50(sigma));
    return {{Digits50(rate), half}, {Digits50(rate), -half}, true};
  }

  [[nodiscard]] Digits50 loss(const Digits50& x) const { return log(Digits50(p.density(x) / q.density(x))); }

  /// sup over events of P - e^epsilon Q: the event is a half-line, whose end is found by bisection. An end
  /// that is off by 1e-20 changes it by less than 1e-38.
  [[nodiscard]] Digits50 delta(const Digits50& epsilon) const {
    Digits50 low = -60, high = 60;
    for (int i = 0; i < 80; ++i) {
      const Digits50 middle = (low + high) / 2;
      const bool above = loss(middle) > epsilon;
      (above == rising ? high : low) = middle;
    }
    const Digits50 up = p.above(low) - exp(epsilon) * q.above(low);
    return rising ? up : Digits50(1 - exp(epsilon) - up);
  }

  /// E_Q (P/Q)^order by the trapezoidal rule, which is good to more digits than needed for these integrands.
  [[nodiscard]] Digits50 moment(const Digits50& order, int last, int points_a_unit = 32) const {
    const Digits50 step = Digits50(1) / points_a_unit;
    Digits50 sum = 0;
    for (int i = -20 * points_a_unit; i <= last * points_a_unit; ++i) {
      const Digits50 x = step * i;
      sum += pow(p.density(x), order) * pow(q.density(x), Digits50(1 - order));
    }
    return sum * step;
  }
};

}  // namespace jme::testing
