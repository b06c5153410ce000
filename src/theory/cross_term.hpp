#pragma once

#include <cstddef>

#include <Eigen/Core>

#include <jme/filter/filter.hpp>
#include <jme/theory/expected_error.hpp>

namespace jme::theory {

/// sup over X with n unit rows in R^dimension of tr(M XX'), M symmetric positive semidefinite:
/// [value attained, dual bound]. Attained: the alternating stream and coordinate ascent over unit rows.
/// Bound: for any diagonal D > 0 and mu >= lambda_max(D^-1/2 M D^-1/2), mu D - M is positive semidefinite,
/// hence tr(M XX') <= mu tr(D); D are the multipliers at the ascent's solution and a Cholesky factorisation
/// certifies mu.
[[nodiscard]] Interval sup_over_unit_rows(const Eigen::MatrixXd& m, std::size_t dimension);

/// The same C with every second column negated and rows so signed that the diagonal keeps its sign: A C~^-1
/// has the row norms of A diag(-1, 1, -1, ...) C^-1, the alternating stream's cross term. Not for dense
/// filters.
[[nodiscard]] Filter alternated(const Filter& c);

/// Upper bound of ||T^-1||_2^2 for the n x n lower-triangular Toeplitz matrix T with these inverse
/// coefficients: the largest |f|^2 on the unit circle, f their polynomial. Sampled at N >= 32 k points for
/// degree k and divided by cos(pi k / N): a trigonometric polynomial of degree k cannot fall faster from its
/// maximum (M. Riesz 1914).
[[nodiscard]] double squared_symbol_bound(const std::vector<double>& inverse_coefficients);

}  // namespace jme::theory
