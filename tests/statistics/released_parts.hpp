#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/release.hpp>

namespace jme::released_parts {

using Row = std::vector<double>;

/// Everything that one row adds to a release, by its definition.
struct Parts {
  Eigen::VectorXd first, second;
};
inline Parts parts_of(const ReleaseLayout& layout, const Row& row) {
  const std::size_t d = layout.dimension;
  std::size_t there = 0;
  for (const double value : row) there += std::isnan(value) ? 0U : 1U;
  const bool exists = layout.cell_counts ? there > 0 : there == d;
  const auto present = [&](std::size_t i) { return exists && !std::isnan(row[i]) ? 1.0 : 0.0; };
  const auto value = [&](std::size_t i) { return present(i) > 0 ? row[i] : 0.0; };
  Parts parts{.first = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(layout.first_size())),
              .second = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(layout.second_size()))};
  for (std::size_t i = 0; i < d; ++i) {
    parts.first(static_cast<Eigen::Index>(i)) = value(i);
    if (layout.cell_counts) parts.first(static_cast<Eigen::Index>(d + i)) = present(i);
    if (layout.second == SecondMoment::none) continue;
    if (layout.second == SecondMoment::diagonal) {
      parts.second(static_cast<Eigen::Index>(i)) = value(i) * value(i);
      continue;
    }
    for (std::size_t j = i; j < d; ++j) {
      parts.second(static_cast<Eigen::Index>(packed_index(i, j, d))) = value(i) * value(j);
      if (j == i || !layout.cell_counts) continue;
      parts.second(static_cast<Eigen::Index>(layout.moment_size() + pair_index(i, j, d))) =
          present(i) * present(j);
    }
  }
  if (layout.row_count) parts.first(parts.first.size() - 1) = exists ? 1 : 0;
  return parts;
}

/// Of the noise on each of its entries.
inline Parts deviations(const Mechanism& mechanism) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  const Calibration& noise = mechanism.calibration();
  const auto d = static_cast<Eigen::Index>(layout.dimension);
  Parts result = parts_of(layout, Row(layout.dimension, 0.0));
  result.first.setConstant(noise.std_count);
  result.first.head(d).setConstant(noise.std_first);
  if (layout.row_count) result.first(result.first.size() - 1) = noise.std_rows;
  if (layout.second == SecondMoment::none) return result;
  result.second.setConstant(noise.std_pair_count);
  result.second.head(static_cast<Eigen::Index>(layout.moment_size())).setConstant(noise.std_off_diagonal);
  for (Eigen::Index i = 0; i < d; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto at = layout.second == SecondMoment::diagonal
                        ? i
                        : static_cast<Eigen::Index>(packed_index(k, k, layout.dimension));
    result.second(at) = noise.std_second;
  }
  return result;
}

}  // namespace jme::released_parts
