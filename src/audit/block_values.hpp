#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <jme/audit/audited_run.hpp>
#include <jme/mechanism/mechanism.hpp>

namespace jme::audit {

/// What a channel has in one block: one number for every entry of a release.
struct BlockValues {
  Eigen::VectorXd first, second;
};

/// Sums of all blocks by their definition: rows are snapped one by one, and added in whole numbers.
[[nodiscard]] std::vector<BlockValues> block_values(const Mechanism& mechanism, const GivenToStream& given);
/// Contribution of a single row by itself.
[[nodiscard]] BlockValues row_values(const Mechanism& mechanism, std::span<const double> row);

/// Standard deviation of the noise that is drawn for each entry.
[[nodiscard]] BlockValues deviations(const Mechanism& mechanism);
/// The lattice that each entry lies on.
[[nodiscard]] BlockValues lattice_units(const Mechanism& mechanism);

/// The increments of releases, entry by entry: block values plus noise. Differences of two runs' may be given
/// as one.
[[nodiscard]] std::vector<BlockValues> increments(const Mechanism& mechanism,
                                                  const std::vector<BlockValues>& released,
                                                  const std::vector<std::size_t>& rows);
/// What a release has of both channels, before the trace corrected the diagonal.
[[nodiscard]] BlockValues released_values(const Mechanism& mechanism, const Release& release);

}  // namespace jme::audit
