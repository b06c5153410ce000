#pragma once

#include <cstdint>
#include <vector>

#include "privacy/epoch_law.hpp"
#include "privacy/loss_pair.hpp"

namespace jme::privacy {

/// Probabilities of privacy losses that are whole multiples of `spacing`, at least as bad as the losses of
/// one step of `pair`: for every number of steps n and every epsilon, the true delta is at most
///     E (1 - e^(epsilon - S))_+ + n infinite,   S = the sum of n such losses + n loss_error.
struct LossDistribution {
  double spacing = 0;
  std::vector<std::int64_t> multiples{};  ///< increasing
  std::vector<double> masses{};           ///< sum to 1 up to rounding, on the safe side
  double infinite = 0;                    ///< what lies beyond
  double loss_error = 0;                  ///< rounding of cell edges
};

struct Grid {
  double spacing;
  double centre;      ///< cells are one spacing wide near this loss ...
  double resolution;  ///< ... and 1/resolution of their distance from it further out
  double last;        ///< position past which losses count as infinite
};

/// Cuts the line where the loss is one of these multiples of the spacing and splits each cell's probability
/// between its two ends so that P and Q of the cell do not change: this is a mean-preserving spread of Q/P,
/// so the pair is never less distinguishable (Doroshenko et al. 2022 call it connecting the dots). The spread
/// adds at most max(spacing, distance/resolution)^2/4 to the variance.
[[nodiscard]] LossDistribution discretise(const LossPair& pair, const Grid& grid);

/// The same for losses that are known one by one: each is split between the two multiples around it so that
/// Q/P is kept on average.
[[nodiscard]] LossDistribution discretise(const EpochLaw& law, double spacing);

}  // namespace jme::privacy
