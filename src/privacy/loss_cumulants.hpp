#pragma once

#include <utility>
#include <vector>

#include "privacy/loss_pair.hpp"

namespace jme::privacy {

/// K(t) = log E_P e^(t loss) and its derivatives, by quadrature up to position `last`: good to some ten
/// digits, for choosing grids and tilts, where an error costs accuracy and not privacy.
class LossCumulants {
 public:
  struct Values {
    double value, mean, variance;  ///< K, K', K''
  };

  LossCumulants(const LossPair& pair, double last);
  /// Of losses that are known one by one; `log_masses` are the logarithms of their probabilities.
  LossCumulants(std::vector<double> losses, std::vector<double> log_masses)
      : losses_(std::move(losses)), log_masses_(std::move(log_masses)) {}
  [[nodiscard]] Values at(double tilt) const;
  [[nodiscard]] double least_loss() const { return losses_.front(); }
  [[nodiscard]] double largest_loss() const { return losses_.back(); }

 private:
  std::vector<double> losses_, log_masses_;
};

/// How the sum of `steps` losses is looked at: tilted so that its mean lies where delta is asked for.
struct Window {
  double tilt;
  double bottom, top;  ///< nearly all of the tilted sum lies between
  double centre;       ///< mean of the tilted sum: roughly the epsilon of this delta
  double top_tilt;     ///< the tilt at which Chernoff's bound is least at `top`
};
[[nodiscard]] Window window_for_delta(const LossCumulants& cumulants, double steps, double delta);
[[nodiscard]] Window window_for_epsilon(const LossCumulants& cumulants, double steps, double epsilon);

/// What the grid of losses may add to epsilon, relative to it. It costs points: twice as many for a quarter.
inline constexpr double grid_tolerance = 3e-5;
/// Spacing at which the spread inside cells, at most n t(1+t) spacing^2/12 in log delta at tilt t, moves
/// epsilon by grid_tolerance.
[[nodiscard]] double wanted_spacing(const Window& window, double steps, double epsilon);
/// That spacing, within the number of points that is worth its time.
[[nodiscard]] double affordable_spacing(const Window& window, double steps, double epsilon);

}  // namespace jme::privacy
