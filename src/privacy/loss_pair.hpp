#pragma once

#include <jme/privacy/subsampled.hpp>

namespace jme::privacy {

/// The direction of a comparison: which of the two neighbours produced the release.
enum class Direction { remove, add, replace };

/// Two laws on the real line that dominate one step of a subsampled Gaussian mechanism, in units of the noise
/// (src/privacy/GUARANTEES.md):
///     P = (1 - p) N(0, 1) + p N(shift, 1),    Q = (1 - r) N(0, 1) + r N(-shift, 1)
/// remove: p = q, r = 0; add: p = 0, r = q; replace: p = r = q at half the shift. The privacy loss
/// log P/Q rises with the position.
class LossPair {
 public:
  LossPair(const SubsampledGaussian& mechanism, Direction direction);

  /// Density of P.
  [[nodiscard]] double density(double position) const;
  /// log of Q's density.
  [[nodiscard]] double log_reference(double position) const;
  /// log P/Q.
  [[nodiscard]] double loss(double position) const;
  /// Bounds the rounding error of `loss`, in absolute terms.
  [[nodiscard]] double loss_error(double position) const;
  /// Where the loss is `loss`: rises with it, -infinity below the least loss, +infinity above the largest.
  [[nodiscard]] double position(double loss) const;
  /// Bounds how far the loss at the computed `position` may be from `loss`.
  [[nodiscard]] double position_error(double loss, double position) const;
  /// Rate at which the loss rises there.
  [[nodiscard]] double slope(double position) const;
  /// P of everything above `position`, an upper bound.
  [[nodiscard]] double tail(double position) const;
  [[nodiscard]] double shift() const { return shift_; }

 private:
  Direction direction_;
  double rate_;   // q
  double shift_;  // distance of the means over sigma
};

}  // namespace jme::privacy
