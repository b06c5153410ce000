#pragma once

#include <jme/sensitivity/joint.hpp>

namespace jme {

/// Inner products of two different columns of a channel's C, over its largest squared column norm: all of
/// them are in [-against, along]. The default is what Cauchy and Schwarz know.
struct ColumnProducts {
  double against = 1;
  double along = 1;
};

/// Where a row leaves one step and comes to another: what is known about the columns of the two steps.
struct MovedColumns {
  double first = 1, second = 1;  ///< the largest squared column norms of C1 and C2
  ColumnProducts of_first{}, of_second{};
  bool are_equal = false;  ///< C1 = C2: two steps then have the same product in both channels
};

/// At least the L2 distance, at weight lambda >= 0 of the diagonal, of two streams in which one row is
/// replaced by any other row in any step, also in the same one, or by none; rounding moves what one step adds
/// by `slack` at most (GUARANTEES.md, "A row in another slot"). The adjacency of `rows` plays no part.
[[nodiscard]] double moved_row_sensitivity(const RowModel& rows, const MovedColumns& columns, double lambda,
                                           double slack);

}  // namespace jme
