#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/base/adjacency.hpp>
#include <jme/calibration/batch_calibration.hpp>
#include <jme/filter/filter.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/mechanism/square_layers.hpp>
#include <jme/mechanism/stream_config.hpp>

namespace jme {

/// Everything that is public before the first training batch. A batch is a block of rows
/// (docs/theory/blocks.md#a-step-is-a-block-of-rows) that comes as sums: the sum of the clipped gradients
/// and, for some methods, the sum of their squares.
struct BatchConfig {
  Budget budget;              ///< (epsilon, delta) of the whole training, or the noise multiplier sigma
  std::size_t steps = 0;      ///< batches in all
  std::size_t dimension = 0;  ///< parameters of the model
  double norm_bound = 0;  ///< zeta: every example's gradient is clipped to it (joint-clip: both parts as one)
  BatchMethod method = BatchMethod::jme;
  double batch = 0;  ///< examples in a batch: fixed, or expected under Poisson sampling
  /// Below 1: every example enters every batch independently with this probability (Poisson), the noise is
  /// fresh in every step, and privacy is amplified. 1: batches have a fixed size and a public schedule.
  double sampling_rate = 1;
  Adjacency adjacency = Adjacency::add_remove;
  /// sampling_rate 1: how often one example is used (epochs), and the least number of steps between two uses.
  /// It must be given there, because there is no safe default.
  std::optional<Participation> participation{};
  Workload workload = decay(0.9);  ///< what the first channel's shape is made for
  std::optional<Workload> workload_second = decay(0.999);
  Shape shape = Shape::identity();
  std::optional<Shape> shape_second{};  ///< default: the same
  /// Weight of the squares (joint-clip: tau); default 1/(2 zeta^2). With square_clip it is that of the
  /// coordinates with the largest bound c; those with bound c_i have lambda (c/c_i)^2. The default is then
  /// the largest one that is free, 1/(4 c^2) or more, under replace-one without sampling, and 1/(2 c^2)
  /// elsewhere.
  std::optional<double> lambda{};
  /// jme: every coordinate of an example's squares is bounded, min(g^2, c^2), layer by layer in the order of
  /// the parameters. One layer of all coordinates: one bound. Empty: none, as if c were zeta.
  std::vector<SquareLayer> square_clip{};
  Objective objective = Objective::rmse;
  /// Most memory that `auto` may use, in vectors; default: what state_limit says.
  std::optional<std::size_t> max_state_vectors{};
  /// Bounds the floating-point error of a batch's sums in Euclidean length, relative to zeta (squares: to the
  /// bound of one example's squares, square_bound). The default covers m gradients summed in float in any
  /// order up to m = 64 (m^2 2^-24), by halves up to 400 (m log2(m) 2^-24), in double any m ((m + 1) 2^-24);
  /// m is the number of examples that a batch really has, so sampled batches should be summed in double. No
  /// sum in float can promise less than m 2^-24.
  std::optional<double> sum_error{};
  std::optional<unsigned> threads{};  ///< default: as many as the processor has, where sharing a step pays
};

/// What a training run promises.
struct BatchPrivacy {
  double epsilon;  ///< proved of the program that runs; infinite where nothing is
  double delta;
  Adjacency adjacency;
};

/// A training configuration made concrete and checked once, as Mechanism is for streams.
class BatchMechanism {
 public:
  explicit BatchMechanism(const BatchConfig& config);

  [[nodiscard]] const BatchConfig& config() const { return config_; }
  [[nodiscard]] bool has_second() const { return has_second_channel(config_.method); }
  [[nodiscard]] bool is_sampled() const { return config_.sampling_rate < 1; }
  [[nodiscard]] const Filter& c1() const { return c1_; }
  [[nodiscard]] const Filter& c2() const { return c2_; }
  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] double sum_error() const { return sum_error_; }
  /// Bounds of the squares' coordinates. Where they differ, noise, lattice and lambda of the second channel
  /// are those of the largest bound; a coordinate's noise and lattice are smaller by its ratio.
  [[nodiscard]] const SquareLayers& square_layers() const { return square_layers_; }
  /// No example's squares are longer than this, each coordinate divided by its ratio in square_layers.
  [[nodiscard]] double square_bound() const;
  [[nodiscard]] const Calibration& calibration() const { return calibration_; }
  [[nodiscard]] const Lattice& lattice() const { return lattice_; }

  /// ||row t of C1^-1||^2 for every step: the variance of a step's noise on the sum, over std_first^2.
  [[nodiscard]] std::vector<double> squared_noise_rows() const;
  /// Standard deviation of the noise on sum_s weights[s] (step s's noisy sum, or squares), s up to the last
  /// weight. Squares: where square_layers has ratio 1.
  struct NoiseLevel {
    double first, second;
  };
  [[nodiscard]] NoiseLevel noise_level(std::span<const double> weights_first,
                                       std::span<const double> weights_second) const;

  /// True where a guarantee can be stated: always, except for jme-paper with more than one example in a
  /// batch.
  [[nodiscard]] bool is_private() const;
  /// The guarantee after `steps` of the steps (default: all) at this delta. With shaped noise it is the
  /// guarantee of the whole run, however many of its steps were made. `steps` must not depend on what the
  /// steps showed. Throws InvalidParameter where no guarantee can be stated.
  [[nodiscard]] BatchPrivacy privacy(Delta delta, std::optional<std::size_t> steps = std::nullopt) const;

 private:
  [[nodiscard]] Calibration calibrated(double sigma) const;
  [[nodiscard]] double sigma_for(ApproxDp budget) const;
  [[nodiscard]] BatchSlack rounding_slack() const;
  [[nodiscard]] Lattice lattice_of_bounds() const;
  void pay_for_rounding();

  BatchConfig config_;
  Filter c1_, c2_;
  Exposure exposure_;
  SquareLayers square_layers_;
  double lambda_, sum_error_;
  Lattice lattice_;
  double sigma_, mu_ = 0, bad_past_ = 0;
  Calibration calibration_;
};

}  // namespace jme
