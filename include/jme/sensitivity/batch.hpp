#pragma once

#include <cstddef>
#include <string_view>

#include <jme/sensitivity/joint.hpp>

namespace jme {

/// How a batch's second moment is formed (docs/theory/batches.md#squares-of-a-batch).
enum class Squares { per_example, batch_mean, paper };
[[nodiscard]] Squares parse_squares(std::string_view text);

/// Joint sensitivity of (batch first moment, sqrt(lambda) * batch squares) for a batch of m clipped rows,
/// replace-one. per_example: sums of rows and of their squares; batch_mean: the mean and its square;
/// paper: the sum and the square of the sum, with its TRUE sensitivity (not the one the paper gives).
[[nodiscard]] double batch_sensitivity(Squares squares, const RowModel& rows, std::size_t batch,
                                       double lambda);
/// The same through C1 and C2: what a person with this exposure can move in all of their batches together.
[[nodiscard]] double batch_sensitivity(Squares squares, const RowModel& rows, std::size_t batch,
                                       const Exposure& exposure, double lambda);

}  // namespace jme
