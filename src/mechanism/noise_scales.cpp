#include "mechanism/noise_scales.hpp"

#include <utility>
#include <vector>

#include <jme/mechanism/release_layout.hpp>

#include "base/packed_triangle.hpp"

namespace jme {

NoiseScale noise_scale_first(const Mechanism& mechanism, const Calibration& calibration) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  const double std = calibration.std_first / mechanism.lattice().first;
  if (layout.first_size() == layout.dimension) return NoiseScale::uniform(layout.dimension, std);
  std::vector<double> scale(layout.dimension, std);
  scale.resize(layout.dimension + layout.count_of_cells(), calibration.std_count * 0x1p20);
  if (layout.row_count) scale.push_back(calibration.std_rows * 0x1p20);
  return {std::move(scale)};
}

NoiseScale noise_scale_second(const Mechanism& mechanism, const Calibration& calibration) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  const std::size_t d = layout.dimension;
  const double unit = mechanism.lattice().second, std = calibration.std_second / unit;
  const auto with_trace = [&](const NoiseScale& scale) {
    return layout.trace ? scale.followed_by(calibration.std_trace / unit) : scale;
  };
  if (layout.second == SecondMoment::diagonal) return with_trace(NoiseScale::uniform(d, std));
  if (layout.count_of_pairs() == 0) {
    return with_trace(NoiseScale::triangle(d, std, calibration.std_off_diagonal / unit));
  }
  std::vector<double> scale(layout.moment_size(), calibration.std_off_diagonal / unit);
  const PackedTriangle triangle{d};
  for (std::size_t i = 0; i < d; ++i) scale[triangle.diagonal(i)] = std;
  scale.resize(layout.second_size(), calibration.std_pair_count / unit);
  return {std::move(scale)};
}

NoiseScale noise_scale_first(const BatchMechanism& mechanism) {
  return NoiseScale::uniform(mechanism.config().dimension,
                             mechanism.calibration().std_first / mechanism.lattice().first);
}

NoiseScale noise_scale_second(const BatchMechanism& mechanism) {
  return NoiseScale::uniform(mechanism.config().dimension,
                             mechanism.calibration().std_second / mechanism.lattice().second);
}

}  // namespace jme
