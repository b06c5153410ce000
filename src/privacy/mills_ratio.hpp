#pragma once

namespace jme::privacy {

/// Mills' ratio R(x) = Q(x) / phi(x) of the normal law for x >= 0, relative error below 2e-15.
[[nodiscard]] double mills_ratio(double x);

/// -R'(x) = 1 - x R(x) for x >= -1, without the cancellation of that difference; relative error below 2e-14.
[[nodiscard]] double mills_slope(double x);

/// R(x) - R(x + width) for x >= -width / 2 and 0 < width <= 1. Keeps its relative error below 4e-14 however
/// narrow the interval: the difference is the integral of mills_slope, whose values are all positive.
[[nodiscard]] double mills_drop(double x, double width);

}  // namespace jme::privacy
