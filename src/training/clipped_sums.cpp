#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>
#include <jme/training/batch_sampler.hpp>
#include <jme/training/clipped_sums.hpp>

#include "training/clip_kernels.hpp"

namespace jme {
namespace {

// Coordinates worked on at a time: their sums stay in the first-level cache while all examples pass.
constexpr std::size_t stretch = 1024;

/// The factor of one example from the sums of its gradient's squares and fourth powers.
float factor_for(const Clipping& clipping, const PowerSums& sums) {
  const double factor = clipping.rule == ClipRule::joint
                            ? joint_clip_factor(sums.second, sums.fourth, clipping.tau, clipping.bound)
                            : clip_factor(std::sqrt(sums.second), clipping.bound);
  return static_cast<float>(factor);
}

/// c^2 from below, so that rounding makes no square too large.
double most_square(const SquareLayers& layers, double ratio) {
  if (layers.empty()) return std::numeric_limits<double>::infinity();
  const double bound = layers.clip().bound * ratio * (1 - 0x1p-51);
  return bound * bound * (1 - 0x1p-51);
}

}  // namespace

void check_clip_bound(double bound) {
  if (!(bound >= 0x1p-60 && bound <= 0x1p60)) throw InvalidParameter("clip", bound, "between 2^-60 and 2^60");
}

void check_square_clip(std::span<const SquareLayer> layers, double bound) {
  for (const SquareLayer& layer : layers) {
    if (!(layer.bound * bound >= 0x1p-100))
      throw InvalidParameter("square-clip", layer.bound, "at least 2^-100 over the clipping norm");
  }
}

ClippedSums::ClippedSums(const Clipping& clipping, std::size_t parameters, bool with_squares)
    : clipping_(clipping),
      square_layers_(clipping.square_clip, parameters, clipping.bound),
      gradients_(parameters, 0.0),
      squares_(with_squares ? parameters : 0, 0.0) {
  check_clip_bound(clipping.bound);
  check_square_clip(clipping.square_clip, clipping.bound);
  if (!clipping.square_clip.empty() && clipping.rule == ClipRule::joint)
    throw InvalidParameter("square-clip", "joint clipping bounds squares already");
  if (!(clipping.tau >= 0) || !std::isfinite(clipping.tau))
    throw InvalidParameter("tau", clipping.tau, "a finite number of at least 0");
}

std::int64_t ClippedSums::add(std::span<const GradientRows> layers, std::size_t examples,
                              std::vector<bool>& kept) {
  std::size_t numbers = 0;
  for (const GradientRows& layer : layers) numbers += layer.count;
  if (numbers != gradients_.size()) {
    throw DataError(fmt::format("gradients: the layers have {} numbers per example, the parameters are {}",
                                numbers, gradients_.size()));
  }
  std::vector<float> factors(examples);
  kept.assign(examples, false);
  std::int64_t clipped = 0;
  for (std::size_t j = 0; j < examples; ++j) {
    PowerSums sums{.second = 0, .fourth = 0};
    for (const GradientRows& layer : layers) {
      const PowerSums part = power_sums(layer.values + j * layer.count, layer.count);
      sums.second += part.second;
      sums.fourth += part.fourth;
    }
    factors[j] = factor_for(clipping_, sums);
    kept[j] = factors[j] > 0;
    clipped += factors[j] < 1 ? 1 : 0;
  }
  std::size_t done = 0;
  for (const GradientRows& layer : layers) {
    square_layers_.for_each_part(
        done, done + layer.count, [&](std::size_t begin, std::size_t end, double ratio) {
          const double most = most_square(square_layers_, ratio);
          for (; begin < end; begin += stretch)
            add_part(layer, done, begin, std::min(stretch, end - begin), most, factors, kept);
        });
    done += layer.count;
  }
  return clipped;
}

void ClippedSums::add_part(const GradientRows& layer, std::size_t first, std::size_t begin, std::size_t count,
                           double most_square, std::span<const float> factors,
                           const std::vector<bool>& kept) {
  double* squares = squares_.empty() ? nullptr : squares_.data() + begin;
  for (std::size_t j = 0; j < factors.size(); ++j) {
    if (!kept[j]) continue;  // 0 times what is not finite would not be 0
    const float* values = layer.values + j * layer.count + (begin - first);
    add_clipped_row(factors[j], clipping_.rule == ClipRule::joint, most_square, values,
                    gradients_.data() + begin, squares, count);
  }
}

void ClippedSums::add_to(std::span<float> gradients, std::span<float> squares) const {
  if (gradients.size() != gradients_.size() || squares.size() != squares_.size()) {
    throw DataError(
        fmt::format("gradients, squares: must have {} and {} numbers", gradients_.size(), squares_.size()));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] += static_cast<float>(gradients_[i]);
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += static_cast<float>(squares_[i]);
}

void ClippedSums::clear() {
  std::fill(gradients_.begin(), gradients_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
}

double clipped_sum_error(std::size_t examples, double probability) {
  // More than m examples come with probability 2^-80 per step. Sums in double, rounded once to float, are at
  // most this far off (src/training/GUARANTEES.md).
  const auto m = static_cast<double>(largest_batch(examples + 1, probability) + 1);
  return m * 0x1p-24 + m * m * 0x1p-53;
}

}  // namespace jme
