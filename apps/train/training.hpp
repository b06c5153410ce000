#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/models/adam.hpp>

#include "dataset.hpp"
#include "square_rules.hpp"

namespace jme::train {

/// Everything that is public before the first batch.
struct TrainingConfig {
  std::optional<BatchMethod> method = BatchMethod::jme;  ///< nothing: plain Adam, NOT private
  Budget budget{};
  double delta = 1e-5;
  double batch = 256;  ///< expected examples in a batch
  double epochs = 3;   ///< an epoch is ceil(examples / batch) steps
  double clip = 1;
  std::optional<double> lambda{};         ///< weight of the squares (joint-clip: tau)
  std::vector<SquareRule> square_clip{};  ///< bounds of single squares (jme); empty: none of their own
  AdamSettings adam{.noise_floor = 1};
  std::uint64_t network_seed = 1;
  std::size_t evaluations = 1;  ///< in an epoch
  std::optional<std::uint64_t> insecure_test_seed{};
  // What follows changes no number.
  std::optional<std::size_t> stop_after{};  ///< steps; the budget is still laid out for all epochs
  std::optional<unsigned> threads{};        ///< default: as many as the processor has
};

/// The network after some steps, on the test pictures.
struct Evaluation {
  std::size_t step = 0;
  double epoch = 0;
  double accuracy = 0;  ///< in [0, 1]
  /// Epsilon of the steps so far, whose number must have been fixed beforehand: whoever stops because of what
  /// was seen has spent the epsilon of the whole plan. Nothing where no epsilon can be stated.
  std::optional<double> epsilon{};
};

/// How much of v is noise, in one of the network's tensors. All of it is public: v comes from releases.
struct SecondMomentPart {
  std::string tensor;
  std::size_t count;
  double bound;  ///< of one coordinate of one example: its squares count for at most bound^2
  double noise;  ///< standard deviation of the noise on a coordinate of vhat
  double mean;   ///< of vhat, over the coordinates
};

/// A training that can go on elsewhere. SECRET: adam.noise (see AdamState).
struct Snapshot {
  std::vector<float> parameters{};
  AdamState adam{};
  std::vector<Evaluation> evaluations{};
};

/// Called while a training runs. Nothing that depends on a step is reported before the step was saved: a
/// training that was interrupted repeats only steps whose results nobody saw, with other noise and other
/// batches.
struct TrainingHooks {
  std::function<void(std::size_t done)> progress{};
  std::function<void(const Snapshot&)> save{};
  double save_seconds = 120;  ///< at least this often, and before every report
  std::function<void(const Evaluation&)> report{};
  std::function<bool()> stop{};  ///< asked after every step: save, and end
};

/// Trains a convolutional network with (private) Adam on batches drawn by Poisson sampling.
class Training {
 public:
  /// Throws InvalidParameter. `dataset` must outlive it.
  Training(const TrainingConfig& config, const Dataset& dataset);
  Training(Training&&) noexcept;
  Training& operator=(Training&&) noexcept;
  ~Training();

  /// Trains from the present step to the end, or until it is stopped. True where it came to the end.
  bool run(const TrainingHooks& hooks);
  /// Goes on from `snapshot`, with fresh keys for noise and batches. Throws StateError.
  void restore(const Snapshot& snapshot);
  [[nodiscard]] Snapshot snapshot() const;

  [[nodiscard]] const TrainingConfig& config() const;
  [[nodiscard]] std::size_t parameter_count() const;
  [[nodiscard]] std::string network() const;  ///< one line
  /// The present network as a safetensors file, which may be shown to anybody.
  [[nodiscard]] std::string network_file() const;
  [[nodiscard]] std::size_t steps() const;
  [[nodiscard]] std::size_t steps_per_epoch() const;
  [[nodiscard]] std::size_t steps_done() const;
  [[nodiscard]] const std::vector<Evaluation>& evaluations() const;
  /// Null without privacy.
  [[nodiscard]] const BatchMechanism* mechanism() const;
  /// Epsilon of the steps done so far, at the configured delta, by the privacy loss distribution. Takes up to
  /// a second.
  [[nodiscard]] std::optional<double> epsilon_spent() const;
  /// vhat as it stands, for methods with squares of every example; before the first step, and for others,
  /// nothing.
  [[nodiscard]] std::vector<SecondMomentPart> second_moment() const;
  /// Share of the test pictures that the present network classifies correctly.
  [[nodiscard]] double accuracy() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace jme::train
