#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "network.hpp"

namespace jme::train {

/// Rows of one layer's gradients, an example each.
struct GradientRows {
  const float* values;
  std::size_t count;  ///< numbers in a row
};

/// Sums of clipped gradients, kept in double until the batch is complete.
class ClippedSums {
 public:
  ClippedSums(const Clipping& clipping, std::size_t parameters, bool with_squares);

  /// Adds the first `examples` rows of every layer; the layers' rows together are whole gradients. Returns
  /// how many were scaled down or, not being finite, left out; `kept[j]` says whether row j was counted.
  std::int64_t add(std::span<const GradientRows> layers, std::size_t examples, std::vector<bool>& kept);

  /// Adds the sums, rounded to float, to these.
  void add_to(std::span<float> gradients, std::span<float> squares) const;

 private:
  Clipping clipping_;
  std::vector<double> gradients_, squares_;
};

}  // namespace jme::train
