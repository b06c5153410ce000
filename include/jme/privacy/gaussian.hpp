#pragma once

#include <jme/base/values.hpp>

namespace jme {

/// sigma(epsilon, delta): least noise with which the Gaussian mechanism satisfies `budget` at L2
/// sensitivity 1. Rounds up: the upper end of the bracket is returned, so solver error only adds noise.
/// Source: Balle & Wang 2018, Theorem 8.
[[nodiscard]] double noise_multiplier(ApproxDp budget);
/// Least epsilon that sigma gives at this delta, rounded up; 0 where delta alone suffices.
[[nodiscard]] double gaussian_epsilon(double sigma, Delta delta);
/// Least delta that sigma gives at this epsilon >= 0, rounded up.
[[nodiscard]] double gaussian_delta(double sigma, double epsilon);

/// A mechanism that is mu-GDP except for events of probability `bad`, whatever the data, is
/// (epsilon, delta)-DP with delta = gaussian_delta(1 / mu, epsilon) + (1 + e^epsilon) bad. Returns the least
/// epsilon at this delta, rounded up; infinite where `bad` leaves no delta.
[[nodiscard]] double gdp_epsilon(double mu, Delta delta, double bad = 0);
/// The reverse: the largest mu, rounded down, with which such a mechanism satisfies `budget`. Throws
/// InvalidParameter where `bad` leaves no delta.
[[nodiscard]] double gdp_budget(ApproxDp budget, double bad = 0);

/// mu-GDP: mu = 1/sigma. rho-zCDP: rho = 1/(2 sigma^2).
[[nodiscard]] double gdp_mu(double sigma);
[[nodiscard]] double zcdp_rho(double sigma);

}  // namespace jme
