#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <jme/moments/block_sum.hpp>
#include <jme/moments/release.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/rows/row_source.hpp>

namespace jme {

/// RAW DATA. What a stream was given: rows in the unit box, or sums of blocks that the pipeline made.
struct GivenToStream {
  std::size_t columns = 0;
  std::vector<double> cells{};  ///< row by row; NaN is an absent cell
  std::vector<BlockSum> blocks{};

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : cells.size() / columns; }
  [[nodiscard]] std::span<const double> row(std::size_t index) const {
    return std::span(cells).subspan(index * columns, columns);
  }
};

/// RAW DATA. A whole run with a test seed: what its stream was given and what it released.
struct AuditedRun {
  GivenToStream given;
  std::vector<Release> releases;
};

/// Takes all rows through the pipeline as a run does. The run needs a test seed and no state. Throws what
/// runs throw.
[[nodiscard]] AuditedRun audited_run(const PreparedRun& run, RowSource& rows);

}  // namespace jme
