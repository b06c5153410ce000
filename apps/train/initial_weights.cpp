#include "initial_weights.hpp"

#include <cmath>

namespace jme::train {

void InitialWeights::fill(std::span<float> weights, double variance) {
  const double most = std::sqrt(3 * variance);
  for (float& weight : weights) {
    const auto whole =
        static_cast<std::int64_t>(words_() >> 11) - (std::int64_t{1} << 52);  // -2^52 .. 2^52 - 1
    weight = static_cast<float>(most * (static_cast<double>(whole) * 0x1p-52));
  }
}

}  // namespace jme::train
