#include "models/smooth_minimum.hpp"

#include <cmath>
#include <deque>
#include <utility>
#include <vector>

namespace jme::models {
namespace {

constexpr std::size_t memory = 10;
constexpr int most_steps = 500, most_halvings = 30;
constexpr double sufficient = 1e-4;  // of the decrease that the slope promises (Armijo)
constexpr double rounding = 1e-12;   // of a value, below which its changes mean nothing

struct Pair {
  Eigen::VectorXd step, change;  // of the point and of the gradient
  double product;                // of the two, above 0
};

// Two-loop recursion: the inverse Hessian that the pairs suggest, times the gradient.
Eigen::VectorXd direction(const std::deque<Pair>& pairs, Eigen::VectorXd gradient) {
  std::vector<double> weights(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    weights[k] = pairs[k].step.dot(gradient) / pairs[k].product;
    gradient -= weights[k] * pairs[k].change;
  }
  if (!pairs.empty()) gradient *= pairs.back().product / pairs.back().change.squaredNorm();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    gradient += (weights[k] - pairs[k].change.dot(gradient) / pairs[k].product) * pairs[k].step;
  }
  return -gradient;
}

// Enough decrease; or, where the value's rounding hides it, a slope that does not rise again (Hager, Zhang).
bool is_enough(const Slope& here, const Slope& there, const Eigen::VectorXd& towards, double length,
               double slope) {
  if (there.value <= here.value + sufficient * length * slope) return true;
  return there.value <= here.value + rounding * std::abs(here.value) &&
         there.gradient.dot(towards) <= (2 * sufficient - 1) * slope;
}

}  // namespace

Eigen::VectorXd smooth_minimum(const std::function<Slope(const Eigen::VectorXd&)>& function,
                               Eigen::VectorXd start,
                               const std::function<bool(const Eigen::VectorXd&)>& is_small) {
  Slope here = function(start);
  std::deque<Pair> pairs;
  for (int taken = 0; taken < most_steps && !is_small(here.gradient); ++taken) {
    const Eigen::VectorXd towards = direction(pairs, here.gradient);
    const double slope = here.gradient.dot(towards);
    double length = 1;
    Slope there = function(start + towards);
    for (int halvings = 0; !is_enough(here, there, towards, length, slope); ++halvings) {
      if (halvings == most_halvings) return start;  // as near as rounding lets it come
      length /= 2;
      there = function(start + length * towards);
    }
    Pair pair{.step = length * towards, .change = there.gradient - here.gradient, .product = 0};
    pair.product = pair.step.dot(pair.change);
    start += pair.step;
    here = std::move(there);
    if (!(pair.product > 0)) continue;
    pairs.push_back(std::move(pair));
    if (pairs.size() > memory) pairs.pop_front();
  }
  return start;
}

}  // namespace jme::models
