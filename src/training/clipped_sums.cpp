#include <algorithm>
#include <cmath>

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

}  // namespace

void check_clip_bound(double bound) {
  if (!(bound >= 0x1p-60 && bound <= 0x1p60)) throw InvalidParameter("clip", bound, "between 2^-60 and 2^60");
}

ClippedSums::ClippedSums(const Clipping& clipping, std::size_t parameters, bool with_squares)
    : clipping_(clipping), gradients_(parameters, 0.0), squares_(with_squares ? parameters : 0, 0.0) {
  check_clip_bound(clipping.bound);
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
    for (std::size_t begin = 0; begin < layer.count; begin += stretch) {
      const std::size_t count = std::min(stretch, layer.count - begin);
      double* squares = squares_.empty() ? nullptr : squares_.data() + done + begin;
      for (std::size_t j = 0; j < examples; ++j) {
        if (!kept[j]) continue;  // 0 times what is not finite would not be 0
        const float* values = layer.values + j * layer.count + begin;
        add_clipped_row(factors[j], clipping_.rule == ClipRule::joint, values,
                        gradients_.data() + done + begin, squares, count);
      }
    }
    done += layer.count;
  }
  return clipped;
}

void ClippedSums::add_to(std::span<float> gradients, std::span<float> squares) const {
  if (gradients.size() != gradients_.size() || squares.size() != squares_.size()) {
    throw DataError(
        fmt::format("gradients, squares: must have {} and {} numbers", gradients_.size(), squares_.size()));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] += static_cast<float>(gradients_[i]);
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += static_cast<float>(squares_[i]);
}

double clipped_sum_error(std::size_t examples, double probability) {
  // More than m examples come with probability 2^-80 per step. Sums in double, rounded once to float, are at
  // most this far off (src/training/GUARANTEES.md).
  const auto m = static_cast<double>(largest_batch(examples + 1, probability) + 1);
  return m * 0x1p-24 + m * m * 0x1p-53;
}

}  // namespace jme
