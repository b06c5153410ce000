#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <jme/filter/aligned_vector.hpp>
#include <jme/moments/block_stream.hpp>

namespace jme {

/// Adam's own numbers. They are used in post-processing only, so none of them affects privacy.
struct AdamSettings {
  double learning_rate = 1e-3;
  double beta_first = 0.9, beta_second = 0.999;
  double epsilon = 1e-8;    ///< added to the root
  double weight_decay = 0;  ///< decoupled (AdamW): parameters shrink by learning_rate * weight_decay
  double least_square = 0;  ///< v is raised to this before the root; below 0 it is always raised to 0
  /// v is also raised to this many standard deviations of its own noise at each step (Adam::noise_level)
  double noise_floor = 0;
  std::optional<double> update_bound{};  ///< each coordinate of m / (sqrt v + epsilon) is kept within it
  std::optional<double>
      update_norm{};  ///< the whole update is scaled to at most this length (the paper: zeta)
};

/// The state of a training run, so that it can go on elsewhere. `noise` is SECRET, see BlockStreamState; the
/// rest was published.
struct AdamState {
  BlockStreamState noise{};
  std::vector<float> first{}, second{};  ///< m and v, before bias correction
};

/// One process of several that train together, each with one slice of the parameters. `add_up` replaces
/// numbers by their sums over all processes, the same bits in each; every process calls it equally often.
/// Those sums are data until noise is added.
struct AdamShare {
  NoiseShare noise;
  std::function<void(std::span<double>)> add_up;
};

/// Private Adam (docs/theory/batches.md#adam). A step takes the sum of a batch's clipped gradients and, for
/// methods with squares of every example, the sum of these squares; it adds noise that was made without them
/// and moves the parameters.
///
///     m <- beta1 m + (1 - beta1) x / B,   v <- beta2 v + (1 - beta2) s,   parameters -= rate mhat / (sqrt
///     vhat + eps)
///
/// x: noisy sum, B: `batch`. s: noisy sum of squares / B (jme, joint-clip), noisy square of the mean
/// (jme-batch-mean), noisy square of the sum over B^2 (jme-paper), square of the noisy mean (pp), the same
/// minus the noise's variance (pp-debiased).
///
/// What the caller must guarantee: every example's gradient is clipped to the norm bound by itself, the
/// coordinates of its squares to BatchConfig::square_clip, and batches are drawn as the configuration says.
/// See clip_factor and joint_clip_factor.
class Adam {
 public:
  /// Noise keyed from the system.
  Adam(const BatchConfig& config, const AdamSettings& settings);
  /// Reproducible and NOT private: for tests and experiments.
  Adam(const BatchConfig& config, const AdamSettings& settings, InsecureTestSeed seed);

  /// One process's slice: vectors and states are those of its coordinates alone, and all slices together have
  /// the numbers that an Adam of all coordinates with the same key has.
  Adam(const BatchConfig& config, const AdamSettings& settings, AdamShare share);

  /// One step, in place. Sizes are the slice's, or the dimension; `squares` is empty unless the method takes
  /// them. Throws
  /// DataError, before any noise is drawn, for sums that are not finite or longer than `examples` clipped
  /// gradients can be
  /// (`examples`: rows actually in the batch; only the caller sees the result of this check). Throws
  /// BudgetExhausted after the last step.
  void step(std::span<float> parameters, std::span<const float> gradients, std::span<const float> squares,
            std::size_t examples);

  [[nodiscard]] std::size_t steps_done() const { return stream_.steps_done(); }
  [[nodiscard]] const BatchMechanism& mechanism() const { return stream_.mechanism(); }
  [[nodiscard]] CoordinateSlice slice() const { return stream_.slice(); }
  [[nodiscard]] AdamSettings& settings() { return settings_; }  ///< may change between steps (schedules)
  /// Standard deviation of the noise on each coordinate of mhat and vhat after `steps` steps, or as they
  /// stand. Public. For pp vhat's noise depends on the gradients, and second is 0. Where bounds of squares
  /// differ, second is that of the largest bound; elsewhere it is smaller by the ratio of square_layers.
  [[nodiscard]] BatchMechanism::NoiseLevel noise_level(std::size_t steps) const;
  [[nodiscard]] BatchMechanism::NoiseLevel noise_level() const { return noise_level(steps_done()); }

  /// m and v as they stand.
  [[nodiscard]] std::span<const float> first_moment() const { return first_; }
  [[nodiscard]] std::span<const float> second_moment() const { return second_; }

  [[nodiscard]] AdamState state() const;
  /// Goes on from `state` under a fresh key: no draw is made twice. Throws StateError for a state of another
  /// configuration.
  void restore(const AdamState& state);

 private:
  Adam(const AdamSettings& settings, BlockStream stream);
  void check(std::span<const float> gradients, std::span<const float> squares, std::size_t examples);
  [[nodiscard]] double sum_over(const std::function<double(std::size_t, std::size_t)>& part);
  /// Calls work(begin, count, ratio) for parts of `count` coordinates whose squares have the same bound.
  void for_each_part(std::size_t begin, std::size_t count,
                     const std::function<void(std::size_t, std::size_t, double)>& work) const;

  AdamSettings settings_;
  BlockStream stream_;
  std::function<void(std::span<double>)> add_up_;  // where others have the other coordinates
  std::vector<double> squared_noise_;              // pp-debiased: ||row t of C1^-1||^2 for every step
  std::vector<float, LineAllocator<float>> first_, second_;
};

/// What to multiply a gradient of length `norm` by so that it is at most `bound` long, rounded down far
/// enough that the product in float stays within it. 1 where it already is; 0 for a length that is not
/// finite.
[[nodiscard]] double clip_factor(double norm, double bound);
/// The same for joint clipping: what to multiply g and g o g by, from sum g^2 and sum g^4.
[[nodiscard]] double joint_clip_factor(double sum_of_squares, double sum_of_fourth_powers, double tau,
                                       double bound);

}  // namespace jme
