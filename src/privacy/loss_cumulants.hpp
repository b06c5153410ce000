#pragma once

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

}  // namespace jme::privacy
