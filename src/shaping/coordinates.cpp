#include "shaping/coordinates.hpp"

#include <cmath>

namespace jme::shaping {

BltParameters blt_from_coordinates(std::span<const double> x, double ceiling) {
  BltParameters parameters{.poles = std::vector<double>(x.size() / 2),
                           .zeros = std::vector<double>(x.size() / 2)};
  double y = 0;
  for (std::size_t i = x.size(); i-- > 0;) {
    y += std::exp(x[i]);
    (i % 2 == 0 ? parameters.poles : parameters.zeros)[i / 2] = -ceiling * std::expm1(-y);
  }
  return parameters;
}

std::vector<double> coordinates_of(const BltParameters& parameters, double ceiling) {
  std::vector<double> x(2 * parameters.poles.size());
  double below = 0;
  for (std::size_t i = x.size(); i-- > 0;) {
    const double s = (i % 2 == 0 ? parameters.poles : parameters.zeros)[i / 2];
    const double y = -std::log1p(-s / ceiling);
    x[i] = std::log(y - below);
    below = y;
  }
  return x;
}

ScaledBltParameters scaled_blt_from_coordinates(std::span<const double> x, double ceiling) {
  const std::size_t gaps = x.size() - 4;
  return {.blt = blt_from_coordinates(x.first(gaps), ceiling),
          .start_offset = std::expm1(x[gaps]),
          .start_power = x[gaps + 1],
          .end_offset = std::exp(x[gaps + 2]),
          .end_power = x[gaps + 3]};
}

}  // namespace jme::shaping
