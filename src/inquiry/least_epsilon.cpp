#include "inquiry/least_epsilon.hpp"

#include <cmath>

namespace jme::inquiry {

namespace {

constexpr double most = 1024, least = 1.0 / (1 << 20);
constexpr int digits = 4;

/// The k-th number of four digits in the decade of 10^decade.
double of_digits(double k, int decade) {
  // Dividing by a power of ten rounds once, so that the number is the one that its four digits name.
  const int exponent = decade - digits + 1;
  return exponent < 0 ? k / std::pow(10.0, -exponent) : k * std::pow(10.0, exponent);
}

}  // namespace

std::optional<double> least_epsilon(const std::function<bool(double epsilon)>& meets) {
  double high = 1;
  while (!meets(high)) {
    high *= 2;
    if (high > most) return std::nullopt;
  }
  double low = high / 2;
  while (low >= least && meets(low)) {
    high = low;
    low /= 2;
  }
  if (low < least) return high;
  while (high / low > 1 + 1e-5) {
    const double middle = std::sqrt(low * high);
    (meets(middle) ? high : low) = middle;
  }
  const int decade = static_cast<int>(std::floor(std::log10(high)));
  double k = std::ceil(high / of_digits(1, decade));
  while (!meets(of_digits(k, decade))) ++k;
  while (meets(of_digits(k - 1, decade))) --k;
  return of_digits(k, decade);
}

}  // namespace jme::inquiry
