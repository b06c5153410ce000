#pragma once

#include <jme/sensitivity/joint.hpp>

namespace jme {

/// Squares with a bound of their own: of a row x the second channel gets s_i = min(x_i^2, c_i^2), coordinate
/// by coordinate. Coordinates whose bounds differ are weighed so that the same noise suits all of them: the
/// channel is u_i = s_i c / c_i with c the largest bound
/// (docs/theory/batches.md#squares-with-a-bound-of-their-own).
struct SquareClip {
  double bound;            ///< c, at most the rows' norm bound
  bool is_uniform = true;  ///< all c_i are c
};

/// At least sup ||x - y||^2 + weight ||u - u'||^2 / c^2 over rows x, y of norm <= 1 (replace-one), or of
/// ||x||^2
/// + weight ||u||^2 / c^2 (add-remove), for any number of coordinates and any bounds c_i: 4 up to weight 1/4,
/// and 1 + weight.
[[nodiscard]] double clipped_square_gain(Adjacency adjacency, double weight);

/// At least the joint sensitivity of (sum of rows, sqrt(lambda) u), where a person has this exposure.
[[nodiscard]] double clipped_square_sensitivity(const RowModel& rows, const SquareClip& clip,
                                                const Exposure& exposure, double lambda);

/// The largest lambda that is proved to cost nothing under replace-one where C1 = C2: 1/(4 c^2) or, where all
/// bounds are the same, 1/(2 zeta^2) if that is more; 0 under add-remove.
[[nodiscard]] double free_lambda_of_clipped_squares(const RowModel& rows, const SquareClip& clip);

}  // namespace jme
