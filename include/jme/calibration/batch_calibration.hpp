#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <jme/calibration/calibration.hpp>
#include <jme/sensitivity/square_clip.hpp>

namespace jme {

/// How a training batch of clipped gradients becomes private moments
/// (docs/theory/batches.md#methods-of-a-batch). All methods add noise to the batch's sum; they differ in
/// where the squares come from.
enum class BatchMethod {
  jme,             ///< the sum of every example's own squares, with its own noise
  jme_batch_mean,  ///< the squares of the batch's mean, with their own noise; fixed batches only
  jme_paper,       ///< the squares of the sum with a single row's noise, as printed: private for one row only
  pp,              ///< the squares of the noisy mean (DP-Adam)
  pp_debiased,     ///< the same, minus the noise's variance (DP-AdamBC)
  joint_clip       ///< (g, sqrt(tau) g o g) clipped to a ball as one vector; sums of both parts
};

[[nodiscard]] BatchMethod parse_batch_method(std::string_view text);
[[nodiscard]] std::string_view name(BatchMethod method);
/// The squares have their own channel and their own noise.
[[nodiscard]] constexpr bool has_second_channel(BatchMethod method) {
  return method != BatchMethod::pp && method != BatchMethod::pp_debiased;
}
/// The caller gives the sum of per-example squares; otherwise squares are formed from the sum.
[[nodiscard]] constexpr bool takes_squares(BatchMethod method) {
  return method == BatchMethod::jme || method == BatchMethod::joint_clip;
}

/// How far rounding may move each channel of one batch, in L2.
struct BatchSlack {
  double first = 0;
  double second = 0;
};

struct BatchCalibrationRequest {
  BatchMethod method = BatchMethod::jme;
  double sigma = 1;  ///< noise multiplier at sensitivity 1
  RowModel rows{};   ///< norm_bound: for one example's gradient (joint-clip: for the vector of both parts)
  Exposure exposure{};
  BatchSlack slack{};
  double lambda = 1;  ///< weight of the second channel (joint-clip: tau)
  /// jme only: an example's squares are bounded coordinate by coordinate. The second channel, its noise and
  /// lambda are then those of u in SquareClip.
  std::optional<SquareClip> square_clip{};
  std::size_t batch = 1;  ///< examples in a batch, for the methods that square the batch
  /// Batches are drawn with Poisson sampling. Under replace-one the pair that dominates has both rows at full
  /// length, opposite each other (privacy/GUARANTEES.md), so the sensitivity is twice that of a single
  /// contribution.
  bool sampled = false;
};

/// (std1, std2) for sums: the first channel is the batch's sum, the second the sum of squares, or the square
/// of the mean (jme_batch_mean) or of the sum (jme_paper). Every method except jme_paper with batch > 1
/// satisfies, on every pair of neighbours, ||C1 dX||^2/std1^2 + ||C2 dS||^2/std2^2 <= 1/sigma^2.
[[nodiscard]] Calibration calibrate_batch(const BatchCalibrationRequest& request);

}  // namespace jme
