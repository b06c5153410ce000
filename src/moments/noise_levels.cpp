#include "moments/noise_levels.hpp"

#include <algorithm>
#include <cmath>

#include "filter/norms.hpp"

namespace jme {

NoiseLevels::NoiseLevels(const Mechanism& mechanism) : mechanism_(&mechanism) {
  if (squares_noisy_rows(mechanism.config().method)) {
    of_rows_.emplace(mechanism);
    return;
  }
  first_.emplace(mechanism.a1(), mechanism.c1());
  if (mechanism.has_second() && !mechanism.second_is_like_first()) {
    second_.emplace(mechanism.a2(), mechanism.c2());
  }
}

NoiseLevel NoiseLevels::at(std::size_t step, std::size_t rows_seen) {
  return of_rows_ ? of_rows_->at(step, rows_seen) : of_block_noise(step, rows_seen);
}

double NoiseLevels::block_norm(const Workload& workload, const Filter& c, ErrorNormStream& norms,
                               std::size_t step, std::size_t rows_seen) const {
  const Horizon& planned = mechanism_->horizon();
  if (rows_seen == planned.rows_through(step)) return norms.at(step);
  // The stream ended inside a block: this release has the weights of a horizon that ends here.
  if (norms.closes_early()) {
    norms.skip_to(step);
    return norms.last(workload.close(rows_seen, rows_seen - step * planned.every()));
  }
  const bool over_blocks = workload.kind() == Workload::Kind::custom;
  const Filter a = workload.filter(
      over_blocks ? planned : Horizon(std::max(rows_seen, workload.window_rows()), planned.every()));
  std::vector<double> weights = a.row_weights(step);
  weights.resize(c.steps(), 0.0);
  return squared_error_row_norm(weights, c);
}

NoiseLevel NoiseLevels::of_block_noise(std::size_t step, std::size_t rows_seen) {
  const Calibration& noise = mechanism_->calibration();
  const double first = block_norm(mechanism_->workload_first(), mechanism_->c1(), *first_, step, rows_seen);
  const double second =
      second_ ? block_norm(mechanism_->workload_second(), mechanism_->c2(), *second_, step, rows_seen)
              : first;
  return {.first = noise.std_first * std::sqrt(first),
          .second = mechanism_->has_second() ? noise.std_second * std::sqrt(second) : 0.0};
}

}  // namespace jme
