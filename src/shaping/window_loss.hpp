#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shaping/blt_loss.hpp"

namespace jme::shaping {

/// log of the squared rmse, up to a constant, of a window over C = T / (1 + sum_i a_i x^(ik)) D^-1:
/// a BLT and taps at lags k, 2k, 3k, columns normalised (docs/theory/shaping.md#windows). A window sees
/// columns of nearly the same norm, so that
///     ||A C^-1||_F^2 ~ sum_t d(t - k/2)^2 R_t,   R_t = sum_{m <= t} g_m^2,   d(j)^2 = sum_{m < n-j} c_m^2
/// with c the coefficients of T / (1 + ...) and g those of A (1 + ...) / T: its minimiser is within 1e-4 of
/// the true one for windows up to half the horizon. It is summed up to 1024 steps, and computed in closed
/// form over the stretches between lags beyond that.
class WindowLoss {
 public:
  static constexpr std::size_t most_lags = 3;

  WindowLoss(std::size_t steps, std::size_t window);

  /// Lags below the horizon: how many tap weights there are.
  [[nodiscard]] std::size_t lags() const { return lags_; }
  /// At the BLT's coordinates (coordinates.hpp, ceiling 1) followed by the tap weights.
  [[nodiscard]] double operator()(std::span<const double> x) const;
  // The two ways, so that tests can compare them.
  [[nodiscard]] double summed(const BltPowers& blt, std::span<const double> taps) const;
  [[nodiscard]] double by_stretches(const BltPowers& blt, std::span<const double> taps) const;

 private:
  std::size_t steps_, window_, lags_;
};

}  // namespace jme::shaping
