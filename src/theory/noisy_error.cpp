#include "theory/noisy_error.hpp"

#include "filter/norms.hpp"

namespace jme::theory {
ErrorNorms error_norms(const Mechanism& mechanism) {
  const std::size_t steps = mechanism.error_steps();
  const double first = error_norm_totals(mechanism.a1(), mechanism.c1(), steps).sum;
  if (!mechanism.has_second()) return {.first = first, .second = 0};
  return {.first = first,
          .second = mechanism.second_is_like_first()
                        ? first
                        : error_norm_totals(mechanism.a2(), mechanism.c2(), steps).sum};
}

ExpectedError noisy_error(const Mechanism& mechanism, const ErrorNorms& norms, Count count) {
  const StreamConfig& config = mechanism.config();
  const double std_first = mechanism.calibration().std_first,
               std_second = mechanism.calibration().std_diagonal();
  const double second = counted_coordinates(mechanism, count) * std_second * std_second * norms.second;
  return {.first = static_cast<double>(config.dimension) * std_first * std_first * norms.first,
          .second = {second, second}};
}

}  // namespace jme::theory
