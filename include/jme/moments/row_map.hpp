#pragma once

#include <array>
#include <cstddef>

#include <jme/base/geometry.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/mechanism/release_layout.hpp>

namespace jme {

/// What turns a row into lattice units. Sums with the same map can be added up, and can be given to streams
/// with this map.
struct RowMap {
  ReleaseLayout layout{};
  Geometry geometry = Geometry::ball;  ///< ball or box
  double norm_bound = 1;               ///< in the box it counts where it is below sqrt(dimension)
  /// A digest of what else rows depend on: columns, their bounds, missing cells. Zero where rows depend on
  /// nothing else.
  std::array<std::byte, 32> details{};

  [[nodiscard]] static RowMap of(const Mechanism& mechanism, const std::array<std::byte, 32>& details = {});

  /// Rows may have NaN in place of absent cells.
  [[nodiscard]] bool allows_absent() const { return layout.cell_counts || layout.row_count; }
  /// Rows in the box are clipped to the norm bound besides.
  [[nodiscard]] bool clips_box() const;

  bool operator==(const RowMap&) const = default;
};

}  // namespace jme
