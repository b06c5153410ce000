#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jme/mechanism/square_layers.hpp>

namespace jme {

/// each: an example's gradient g is scaled to at most `bound`, squares are those of the scaled one.
/// joint: (g, sqrt(tau) g o g) is scaled as one vector, so squares are scaled and not squared again
/// (docs/theory/batches.md#methods-of-a-batch).
enum class ClipRule { each, joint };
struct Clipping {
  ClipRule rule;
  double bound;
  double tau = 0;
  /// each: no coordinate of an example's squares counts for more than the square of its layer's bound. The
  /// layers are BatchConfig::square_clip's and need not be those in which gradients come. Empty: no bound.
  std::vector<SquareLayer> square_clip{};
};

/// Throws InvalidParameter("clip") unless it is between 2^-60 and 2^60: clipped floats and their squares then
/// stay far from the ends of their range (src/training/GUARANTEES.md).
void check_clip_bound(double bound);
/// Throws InvalidParameter("square-clip") where a layer's bound times `bound` is below 2^-100, for the same
/// reason.
void check_square_clip(std::span<const SquareLayer> layers, double bound);

/// One layer's gradients in somebody else's memory: one row of `count` floats per example, without gaps.
struct GradientRows {
  const float* values;
  std::size_t count;
};

/// The sum of a batch's clipped gradients and, where they are wanted, of their squares: what Adam::step
/// takes. It is kept in double until the batch is complete, so a batch can come in parts and its sums keep
/// the promise of clipped_sum_error.
class ClippedSums {
 public:
  /// Throws InvalidParameter.
  ClippedSums(const Clipping& clipping, std::size_t parameters, bool with_squares);

  /// Adds the first `examples` rows of every layer; the layers' rows together are whole gradients. Returns
  /// how many were scaled down or, not being finite, left out; `kept[j]` says whether row j was counted.
  /// Neither is private. Throws DataError, before anything is added, for layers that together do not have as
  /// many numbers as there are parameters.
  std::int64_t add(std::span<const GradientRows> layers, std::size_t examples, std::vector<bool>& kept);

  /// Adds the sums, rounded to float, to these: as many as parameters each, `squares` empty where there are
  /// none. Throws DataError for other sizes.
  void add_to(std::span<float> gradients, std::span<float> squares) const;

  /// The sums as they stand, for a batch whose parts are summed in several processes and then added up there.
  /// They are raw data.
  [[nodiscard]] std::span<double> gradients() { return gradients_; }
  [[nodiscard]] std::span<double> squares() { return squares_; }
  /// Forgets everything that was added: the next batch begins.
  void clear();

 private:
  /// Adds the numbers [begin, begin + count) of the gradients, all in the same layer of square_clip.
  void add_part(const GradientRows& layer, std::size_t first, std::size_t begin, std::size_t count,
                double most_square, std::span<const float> factors, const std::vector<bool>& kept);

  Clipping clipping_;
  SquareLayers square_layers_;
  std::vector<double> gradients_, squares_;
};

/// BatchConfig::sum_error of sums made by one ClippedSums per batch and added onto zeros, where batches are
/// drawn by BatchSampler from `examples` or, in a neighbouring data set, from one more.
[[nodiscard]] double clipped_sum_error(std::size_t examples, double probability);

}  // namespace jme
