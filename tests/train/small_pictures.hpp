#pragma once

#include <cstdint>

#include "dataset.hpp"

namespace jme::train {

/// Pictures of 8 x 8 in two classes that anybody can tell apart: the left or the right half is bright. A
/// little hash makes them differ.
inline Pictures halves(std::int64_t count, std::uint32_t salt) {
  Pictures pictures{.channels = 1, .height = 8, .width = 8};
  std::uint32_t state = salt;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool right = i % 2 == 1;
    pictures.labels.push_back(right ? 1 : 0);
    for (int pixel = 0; pixel < 64; ++pixel) {
      state = state * 1664525U + 1013904223U;
      const bool bright = (pixel % 8 >= 4) == right;
      pictures.pixels.push_back(static_cast<std::uint8_t>((bright ? 150 : 20) + (state >> 26)));
    }
  }
  return pictures;
}

inline Dataset halves_dataset(std::int64_t training = 200, std::int64_t test = 50) {
  return {.name = "halves", .classes = 2, .training = halves(training, 1), .test = halves(test, 2)};
}

}  // namespace jme::train
