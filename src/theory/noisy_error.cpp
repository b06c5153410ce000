#include "theory/noisy_error.hpp"

#include <numeric>
#include <vector>

#include <jme/filter/norms.hpp>

namespace jme::theory {
namespace {

double squared_norm(const Filter& a, const Filter& c) {
  const std::vector<double> rows = squared_error_row_norms(a, c);
  return std::accumulate(rows.begin(), rows.end(), 0.0);
}

}  // namespace

ErrorNorms error_norms(const Mechanism& mechanism) {
  return {.first = squared_norm(mechanism.a1(), mechanism.c1()),
          .second = mechanism.has_second() ? squared_norm(mechanism.a2(), mechanism.c2()) : 0};
}

ExpectedError noisy_error(const Mechanism& mechanism, const ErrorNorms& norms, Count count) {
  const StreamConfig& config = mechanism.config();
  const double std_first = mechanism.calibration().std_first, std_second = mechanism.calibration().std_second;
  const double second =
      counted_coordinates(config.second, config.dimension, count) * std_second * std_second * norms.second;
  return {.first = static_cast<double>(config.dimension) * std_first * std_first * norms.first,
          .second = {second, second}};
}

}  // namespace jme::theory
