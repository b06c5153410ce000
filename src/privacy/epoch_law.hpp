#pragma once

#include <vector>

#include <jme/privacy/allocation.hpp>

#include "privacy/loss_pair.hpp"

namespace jme::privacy {

/// Privacy losses of one epoch of an allocation and their probabilities, at least as bad as the true ones:
/// for every number of epochs n and every epsilon, the true delta is at most
///     E (1 - e^(epsilon - S))_+ + n infinite,   S = the sum of n such losses.
struct EpochLaw {
  struct Atom {
    double loss, mass;
  };
  std::vector<Atom> atoms{};  ///< in no order
  double infinite = 0;        ///< what lies beyond, what was left out, and every error
};

/// The losses of the likelihood ratio t = (w_1 + ... + w_m)/m of m independent turns. `left_out` is about the
/// probability that may be charged to `infinite` instead of being computed.
[[nodiscard]] EpochLaw epoch_law(const Allocation& mechanism, Direction direction, double left_out);

}  // namespace jme::privacy
