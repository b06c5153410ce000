#include "demo_day.hpp"

#include <cmath>
#include <numbers>

namespace jme::cli {

namespace {

// Jitter in [-1, 1] without a generator: the fractional parts of multiples of an irrational number.
double jitter(std::size_t t, double irrational) {
  const double x = static_cast<double>(t) * irrational;
  return 2 * (x - std::floor(x)) - 1;
}

double bump(double x, double centre, double width) {
  return std::exp(-std::pow((x - centre) / width, 2));
}

}  // namespace

std::array<double, 3> demo_row(std::size_t t) {
  const double day = static_cast<double>(t) / static_cast<double>(demo_rows);  // 0 .. 1
  const double sun = -std::cos(2 * std::numbers::pi * day);
  const double temp = 12 + 2 * day + 7 * sun + 1.5 * jitter(t, std::numbers::sqrt2);
  const double humidity = 65 - 18 * sun - 4 * day + 5 * jitter(t, std::numbers::sqrt3);
  // Two rush hours, and a slow drift of the sensor.
  const double co = 0.8 + 3 * bump(day, 0.34, 0.04) + 3.5 * bump(day, 0.74, 0.05) + 0.6 * day +
                    0.4 * jitter(t, std::numbers::phi);
  return {temp, humidity, co};
}

}  // namespace jme::cli
