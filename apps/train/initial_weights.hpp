#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace jme::train {

/// Public starting weights, the same bits on every machine: uniform, from whole numbers and one square root
/// alone.
class InitialWeights {
 public:
  explicit InitialWeights(std::uint64_t seed) : words_(seed) {}
  /// Uniform around 0 with this variance.
  void fill(std::span<float> weights, double variance);

 private:
  std::mt19937_64 words_;
};

}  // namespace jme::train
