#pragma once

#include <cstddef>

#include <jme/mechanism/mechanism.hpp>
#include <jme/theory/expected_error.hpp>

namespace jme::theory {

/// How often the three parts of a squared noisy row's error occur (docs/theory/errors.md#squared-noisy-rows):
/// with G the noise, w = std1^2,
///     E||X'KG + G'KX + G'KG - E G'KG||^2 = cross w tr(KQK XX') + quartic w^2 tr((KQ)^2),   + bias w^2
///     tr(KQ)^2.
struct SquareCounts {
  double quartic;  ///< d(d+1), diagonal 2d
  double cross;    ///< 2(d+1), diagonal 4
  double bias;     ///< d
};
[[nodiscard]] SquareCounts square_counts(SecondMoment second, std::size_t dimension);

/// Dense matrices of up to this many rows are factorised even where nobody asked for it (it takes well under
/// a second).
inline constexpr std::size_t quick_dense_rows = 512;
/// Beyond this dense evaluation takes minutes and is refused.
inline constexpr std::size_t most_dense_rows = 2048;

/// The data-free parts of PP's second-moment error and the bounds of its sup over data, for std1 = zeta = 1.
struct PpTerms {
  double quartic;  ///< tr(B'B (Q o Q))
  Interval cross;  ///< sup_X tr((B'B o Q) XX')
  double bias;     ///< ||B diag(Q)||^2
};
/// Throws InvalidParameter("rows", ...) where the shape has no exact trace at this horizon (see
/// squared_noise.hpp).
[[nodiscard]] PpTerms pp_terms(const Mechanism& mechanism, std::size_t dense_limit = most_dense_rows);

/// Second-moment error of PP from its terms; `debiased` as the method says.
[[nodiscard]] Interval pp_second_error(const Mechanism& mechanism, const PpTerms& terms);

/// First-moment error of PP: rows are noised, errors counted at releases. `norms`: the sum of their squared
/// norms under unit noise.
[[nodiscard]] double pp_first_norms(const Mechanism& mechanism);
[[nodiscard]] double pp_first_error(const Mechanism& mechanism, double norms);

}  // namespace jme::theory
