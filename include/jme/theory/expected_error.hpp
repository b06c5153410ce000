#pragma once

#include <cstddef>
#include <vector>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// Whether the symmetric matrix's noise is counted as we draw it, N = d(d+1)/2 draws, or as the paper does,
/// d^2.
enum class Count { symmetric, paper };
/// N of the error formulas: how often std2^2 occurs in one release's squared Frobenius error, d +
/// d(d-1) (std off the diagonal / std2)^2, where std2 is what is left on a diagonal entry where the trace
/// corrects it (Calibration::std_diagonal). It is d(d+1)/2 for rows in a ball
/// (docs/theory/calibration.md#symmetric-noise) and grows with d^3 for rows in a box, whose std2 is smaller
/// (docs/theory/geometry.md).
[[nodiscard]] double counted_coordinates(const Mechanism& mechanism, Count count);

/// An expectation known exactly (low == high) or between two bounds (PP's sup over data).
struct Interval {
  double low, high;
};

/// Expected squared errors summed over all releases and coordinates (docs/theory/errors.md). For PP, noise is
/// added to rows and errors are counted at releases; its second error is exact for the identity, and lies
/// between an attained value and a proven bound for other shapes. Throws InvalidParameter("rows", ...) for PP
/// with a shape it cannot evaluate at that horizon: many states above 16384 rows; dense matrices or custom
/// workloads above 2048.
struct ExpectedError {
  double first;
  Interval second;  ///< {0, 0} without a second moment
};
[[nodiscard]] ExpectedError expected_error(const Mechanism& mechanism, Count count = Count::symmetric);

/// sup over streams of rows in R^dimension of tr(M XX') with M = (A2'A2) o Q, for unit norm bound:
/// [attained value, dual bound] (docs/theory/errors.md#the-cross-term). Dense: O(n^3) time, n^2 memory.
[[nodiscard]] Interval pp_cross_term(const Filter& a2, const Filter& c1, std::size_t dimension = 1);

/// Per-release noise variance of one coordinate, unit: data units squared. Of mechanism.error_steps()
/// releases.
struct ReleaseVariance {
  std::vector<double> first;   ///< std1^2 ||row t of A1 C1^-1||^2
  std::vector<double> second;  ///< std2^2 ||row t of A2 C2^-1||^2, of a diagonal entry (std_diagonal);
                               ///< empty for PP, whose second moment's noise depends on the data
};
[[nodiscard]] ReleaseVariance release_variance(const Mechanism& mechanism);

/// Sup over data of the expected squared error of the running covariance (of the variances alone where the
/// second moment is diagonal), summed over releases (docs/theory/errors.md#running-covariance). `debiased`:
/// the estimate's whole bias is known and removed. One number for all methods but PP, whose sup over data
/// lies between an attained value and a proven bound. Needs the same workload in both channels. PP with a
/// shape other than the identity: up to 512 rows.
[[nodiscard]] Interval covariance_error_bounds(const Mechanism& mechanism, bool debiased,
                                               Count count = Count::symmetric);
/// The upper end of covariance_error_bounds.
[[nodiscard]] double covariance_error(const Mechanism& mechanism, bool debiased,
                                      Count count = Count::symmetric);

}  // namespace jme
