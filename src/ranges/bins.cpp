#include "ranges/bins.hpp"

#include <algorithm>
#include <cmath>

namespace jme::ranges {

std::optional<std::size_t> SignedPowers::bin_of(double x) {
  const double size = std::abs(x);
  if (!(size < std::ldexp(1.0, most))) return std::nullopt;
  if (size < std::ldexp(1.0, least)) return zero;
  const auto steps = static_cast<std::size_t>(std::ilogb(size) - least) + 1;
  return x > 0 ? zero + steps : zero - steps;
}

double SignedPowers::low(std::size_t bin) {
  if (bin > zero) return std::ldexp(1.0, least + static_cast<int>(bin - zero) - 1);
  return -std::ldexp(1.0, least + static_cast<int>(zero - bin));
}

std::optional<std::size_t> EqualBins::bin_of(double x) const {
  if (!(x >= lowest && x <= highest)) return std::nullopt;
  const double place = (x - lowest) / (highest - lowest) * static_cast<double>(count);
  return std::min(static_cast<std::size_t>(place), count - 1);
}

double EqualBins::low(std::size_t bin) const {
  if (bin == count) return highest;
  return lowest + (highest - lowest) * (static_cast<double>(bin) / static_cast<double>(count));
}

}  // namespace jme::ranges
