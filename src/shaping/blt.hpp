#pragma once

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/shaping/shape.hpp>

namespace jme::shaping {

/// Throws InvalidParameter unless 1 > pole_0 > zero_0 > pole_1 > ... > 0. Then every coefficient of T is
/// positive and decreasing (T is a Stieltjes function), and so is every coefficient of 1 - T^-1.
void check_interlacing(const BltParameters& parameters);

/// T(x) = prod(1 - zeros_i x) / prod(1 - poles_i x) by partial fractions: one tap and one mode per pole,
/// weight omega_i = prod_j (t_i - th_j) / prod_{j != i} (t_i - t_j)
/// (docs/theory/shaping.md#buffered-linear-toeplitz).
[[nodiscard]] Toeplitz blt_core(const BltParameters& parameters);

/// C = L T D^-1 with D from the parameters as stored, rounded up: no column of C is longer than 1.
/// On an unbounded horizon D includes the columns' infinite tail.
[[nodiscard]] Filter scaled_blt_filter(const Horizon& horizon, const ScaledBltParameters& parameters);

}  // namespace jme::shaping
