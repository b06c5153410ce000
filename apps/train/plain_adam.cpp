#include "plain_adam.hpp"

#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>

namespace jme::train {

PlainAdam::PlainAdam(const AdamSettings& settings, std::size_t dimension)
    : settings_(settings), first_(dimension, 0.0F), second_(dimension, 0.0F) {}

void PlainAdam::step(std::span<float> parameters, std::span<const float> gradients, double scale) {
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double beta1 = settings_.beta_first, beta2 = settings_.beta_second;
  const double correct1 = 1 / (1 - std::pow(beta1, t)), correct2 = 1 / (1 - std::pow(beta2, t));
  const double shrink = 1 - settings_.learning_rate * settings_.weight_decay;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const double g = scale * gradients[i];
    const double m = beta1 * first_[i] + (1 - beta1) * g;
    const double v = beta2 * second_[i] + (1 - beta2) * g * g;
    first_[i] = static_cast<float>(m);
    second_[i] = static_cast<float>(v);
    const double root = std::sqrt(std::max(correct2 * v, settings_.least_square)) + settings_.epsilon;
    parameters[i] =
        static_cast<float>(shrink * parameters[i] - settings_.learning_rate * correct1 * m / root);
  }
}

AdamState PlainAdam::state() const {
  AdamState state{.first = first_, .second = second_};
  state.noise.steps = steps_;
  return state;
}

void PlainAdam::restore(const AdamState& state) {
  if (state.first.size() != first_.size() || state.second.size() != second_.size() ||
      !state.noise.first.empty() || !state.noise.second.empty())
    throw StateError("state: its moments are not those of this training");
  steps_ = state.noise.steps;
  first_ = state.first;
  second_ = state.second;
}

}  // namespace jme::train
