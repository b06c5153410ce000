#pragma once

#include <jme/mechanism/mechanism.hpp>
#include <jme/theory/expected_error.hpp>

namespace jme::theory {

/// ||A1 C1^-1||^2 and ||A2 C2^-1||^2: what all methods that add noise to both moments share at equal shapes.
struct ErrorNorms {
  double first, second;
};
[[nodiscard]] ErrorNorms error_norms(const Mechanism& mechanism);

/// d std1^2 ||A1 C1^-1||^2 and N std2^2 ||A2 C2^-1||^2 (docs/theory/errors.md#noisy-moments). Not for PP.
[[nodiscard]] ExpectedError noisy_error(const Mechanism& mechanism, const ErrorNorms& norms, Count count);

}  // namespace jme::theory
