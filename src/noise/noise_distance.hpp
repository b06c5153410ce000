#pragma once

#include <jme/filter/filter.hpp>
#include <jme/filter/sum_words.hpp>

#include "noise/noise_scale.hpp"

namespace jme {

/// How far ShapedNoise is from the ideal mechanism (src/noise/GUARANTEES.md): a change of the data that
/// shifts the ideal mechanism by `shift` = |C Delta| / scale shifts this one by at most shift + mu, except
/// for pasts of probability bad_past. For two channels, mu is the root of the sum of the squares, and
/// bad_past is the sum.
struct NoiseDistance {
  double mu = 0;
  double bad_past = 0;
};

/// Over all steps of the shape. `shift`: an upper bound of the ideal shift of both channels together. Zero
/// where C is diagonal. Upper bounds in O(steps x states) with schedules, in O(states^2) for BLTs without
/// schedules and for columns without end (dense: O(steps^3)). Throws InvalidParameter for a shape with a
/// replaced last row, or whose rounding errors grow without bounds.
[[nodiscard]] NoiseDistance noise_distance(const Filter& shape, const NoiseScale& scale, double shift,
                                           SumWords words = SumWords::one);

/// What noise_distance needs to know about a shape, for any scale. It costs as much as noise_distance, which
/// is then only a formula.
struct ShapeRounding {
  double errors_one_word = 0, errors_two_words = 0;  ///< 0: C is diagonal
  double cells = 0, watched = 1;
  double row_growth = 1;
  double fresh = 1;  ///< least standard deviation of a step's own part, for a scale of 1
  double steps = 0;
};
[[nodiscard]] ShapeRounding shape_rounding(const Filter& shape);
[[nodiscard]] NoiseDistance noise_distance(const ShapeRounding& shape, const NoiseScale& scale, double shift,
                                           SumWords words = SumWords::one);

/// Both channels of a mechanism, one after the other.
[[nodiscard]] NoiseDistance joined(const NoiseDistance& a, const NoiseDistance& b);

}  // namespace jme
