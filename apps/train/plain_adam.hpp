#pragma once

#include <span>
#include <vector>

#include <jme/models/adam.hpp>

namespace jme::train {

/// Adam without noise, NOT private: private training is compared with it. It has the same settings as
/// jme::Adam, without its bounds on the update.
class PlainAdam {
 public:
  PlainAdam(const AdamSettings& settings, std::size_t dimension);

  /// One step from the batch's mean gradient times `scale`.
  void step(std::span<float> parameters, std::span<const float> gradients, double scale);

  [[nodiscard]] std::size_t steps_done() const { return steps_; }
  [[nodiscard]] AdamState state() const;
  /// Throws StateError for the state of another network.
  void restore(const AdamState& state);

 private:
  AdamSettings settings_;
  std::size_t steps_ = 0;
  std::vector<float> first_, second_;
};

}  // namespace jme::train
