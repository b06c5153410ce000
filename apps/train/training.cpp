#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/training/batch_sampler.hpp>
#include <jme/training/clipped_sums.hpp>
#include <jme/training/debiased_noise.hpp>

#include "network.hpp"
#include "plain_adam.hpp"
#include "safetensors.hpp"

namespace jme::train {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const TrainingConfig& checked(const TrainingConfig& config, const Pictures& pictures) {
  const auto examples = static_cast<double>(pictures.size());
  if (!(config.batch >= 1 && config.batch < examples))
    throw InvalidParameter("batch", config.batch,
                           fmt::format("at least 1 and below the number of examples, {}", pictures.size()));
  if (!(config.epochs > 0 && config.epochs <= 1e6))
    throw InvalidParameter("epochs", config.epochs, "above 0 and at most 1e6");
  check_clip_bound(config.clip);
  if (config.evaluations == 0) throw InvalidParameter("evaluations", 0, "a whole number of at least 1");
  return config;
}

std::size_t epoch_steps(const TrainingConfig& config, const Pictures& pictures) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(pictures.size()) / config.batch));
}

std::size_t all_steps(const TrainingConfig& config, const Pictures& pictures) {
  const auto an_epoch = static_cast<double>(epoch_steps(config, pictures));
  return static_cast<std::size_t>(std::max(1.0, std::round(config.epochs * an_epoch)));
}

BatchConfig batch_config(const TrainingConfig& config, const Pictures& pictures, std::size_t parameters,
                         const std::vector<SquareLayer>& square_clip) {
  const double rate = config.batch / static_cast<double>(pictures.size());
  return {.budget = config.budget,
          .steps = all_steps(config, pictures),
          .dimension = parameters,
          .norm_bound = config.clip,
          .method = *config.method,
          .batch = config.batch,
          .sampling_rate = rate,
          .adjacency = Adjacency::add_remove,
          .lambda = config.lambda,
          .square_clip = square_clip,
          .sum_error = clipped_sum_error(static_cast<std::size_t>(pictures.size()), rate),
          .threads = config.threads};
}

std::optional<Adam> private_adam(const TrainingConfig& config, const Pictures& pictures,
                                 std::size_t parameters, const std::vector<SquareLayer>& square_clip) {
  if (!config.method) return std::nullopt;
  const BatchConfig batches = batch_config(config, pictures, parameters, square_clip);
  if (config.insecure_test_seed)
    return Adam(batches, config.adam, InsecureTestSeed{*config.insecure_test_seed});
  return Adam(batches, config.adam);
}

BatchSampler sampler_for(const TrainingConfig& config, const Pictures& pictures) {
  const auto examples = static_cast<std::size_t>(pictures.size());
  const double rate = config.batch / static_cast<double>(examples);
  if (config.insecure_test_seed) return {examples, rate, InsecureTestSeed{*config.insecure_test_seed}};
  return {examples, rate};
}

/// Pictures as numbers in [-2, 2] by a fixed rule: it does not use an average of the training pictures, which
/// would be one more release of them.
struct Batch {
  at::Tensor pictures, labels;
};
Batch gather(const Pictures& from, const std::vector<std::uint32_t>& chosen) {
  const auto count = static_cast<std::int64_t>(chosen.size());
  Batch batch{.pictures = at::empty({count, from.channels, from.height, from.width}, at::kFloat),
              .labels = at::empty({count}, at::kLong)};
  auto* out = batch.pictures.data_ptr<float>();
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  for (const std::uint32_t example : chosen) {
    const std::uint8_t* pixels = from.pixels.data() + example * from.picture_size();
    for (std::int64_t i = 0; i < from.picture_size(); ++i)
      *out++ = (static_cast<float>(pixels[i]) - 127.5F) * (2 / 127.5F);
    *labels++ = from.labels[example];
  }
  return batch;
}

/// Work is done on this many examples at once, always filled up: with a larger number, small batches would be
/// mostly filling.
std::int64_t at_a_time(double batch) {
  return std::clamp(static_cast<std::int64_t>(std::llround(batch)), std::int64_t{1}, std::int64_t{32});
}

}  // namespace

struct Training::Parts {
  Parts(const TrainingConfig& wanted, const Dataset& pictures)
      : config(checked(wanted, pictures.training)),
        dataset(&pictures),
        steps(all_steps(config, pictures.training)),
        steps_per_epoch(epoch_steps(config, pictures.training)),
        network({.channels = pictures.training.channels,
                 .height = pictures.training.height,
                 .width = pictures.training.width},
                pictures.classes, config.network_seed, at_a_time(config.batch)),
        square_clip(square_layers(config.square_clip, network.tensors(), config.clip)),
        noisy(private_adam(config, pictures.training, network.parameter_count(), square_clip)),
        plain(config.adam, noisy ? 0 : network.parameter_count()),
        sampler(sampler_for(config, pictures.training)),
        gradients(network.parameter_count()),
        squares(config.method && takes_squares(*config.method) ? network.parameter_count() : 0) {
    check_square_clip(square_clip, config.clip);
    const unsigned threads = config.threads.value_or(std::thread::hardware_concurrency());
    at::set_num_threads(static_cast<int>(std::max(threads, 1U)));
  }

  [[nodiscard]] std::size_t steps_done() const { return noisy ? noisy->steps_done() : plain.steps_done(); }

  void step() {
    const std::vector<std::uint32_t> chosen = sampler.draw(steps_done());
    std::fill(gradients.begin(), gradients.end(), 0.0F);
    std::fill(squares.begin(), squares.end(), 0.0F);
    const Batch batch = gather(dataset->training, chosen);
    if (!noisy) {
      if (!chosen.empty()) network.add_gradients(batch.pictures, batch.labels, gradients);
      plain.step(network.parameters(), gradients, 1 / config.batch);
      return;
    }
    if (!chosen.empty()) network.add_clipped(batch.pictures, batch.labels, clipping(), gradients, squares);
    if (config.method == BatchMethod::pp_debiased) {
      // Adam's own noise floor leaves pp-debiased out, because its noise depends on the gradient; this is the
      // least that the noise can be.
      const double floor =
          config.adam.noise_floor *
          debiased_noise(noisy->mechanism(), config.adam.beta_second, noisy->steps_done() + 1);
      noisy->settings().least_square = std::max(config.adam.least_square, floor);
    }
    noisy->step(network.parameters(), gradients, squares, chosen.size());
  }

  [[nodiscard]] Clipping clipping() const {
    const bool joint = *config.method == BatchMethod::joint_clip;
    return {.rule = joint ? ClipRule::joint : ClipRule::each,
            .bound = config.clip,
            .tau = joint ? noisy->mechanism().lambda() : 0,
            .square_clip = square_clip};
  }

  /// At every k-th part of an epoch, and at the very end.
  [[nodiscard]] bool is_evaluated(std::size_t done, std::size_t last) const {
    const std::size_t k = config.evaluations;
    return done == last || done * k / steps_per_epoch != (done - 1) * k / steps_per_epoch;
  }

  TrainingConfig config;
  const Dataset* dataset;
  std::size_t steps, steps_per_epoch;
  Network network;
  std::vector<SquareLayer> square_clip;  // of every tensor, or empty
  std::optional<Adam> noisy;
  PlainAdam plain;
  BatchSampler sampler;
  std::vector<float> gradients, squares;
  std::vector<Evaluation> evaluations;
};

Training::Training(const TrainingConfig& config, const Dataset& dataset)
    : parts_(std::make_unique<Parts>(config, dataset)) {}
Training::Training(Training&&) noexcept = default;
Training& Training::operator=(Training&&) noexcept = default;
Training::~Training() = default;

bool Training::run(const TrainingHooks& hooks) {
  const std::size_t last = std::min(parts_->config.stop_after.value_or(parts_->steps), parts_->steps);
  Clock::time_point saved = Clock::now();
  const auto save = [&] {
    if (hooks.save) hooks.save(snapshot());
    saved = Clock::now();
  };
  while (steps_done() < last) {
    parts_->step();
    const std::size_t done = steps_done();
    const bool stopping = hooks.stop && hooks.stop();
    if (parts_->is_evaluated(done, last)) {
      parts_->evaluations.push_back(
          {.step = done,
           .epoch = static_cast<double>(done) / static_cast<double>(parts_->steps_per_epoch),
           .accuracy = accuracy(),
           .epsilon = epsilon_spent()});
      save();
      if (hooks.report) hooks.report(parts_->evaluations.back());
    } else if (stopping || seconds_since(saved) > hooks.save_seconds) {
      save();
    }
    if (hooks.progress) hooks.progress(done);
    if (stopping && done < last) return false;
  }
  return true;
}

void Training::restore(const Snapshot& snapshot) {
  const auto parameters = parts_->network.parameters();
  if (snapshot.parameters.size() != parameters.size() ||
      !std::all_of(snapshot.parameters.begin(), snapshot.parameters.end(),
                   [](float p) { return std::isfinite(p); }))
    throw StateError("state: its parameters are not those of this network");
  if (parts_->noisy) {
    parts_->noisy->restore(snapshot.adam);
  } else {
    parts_->plain.restore(snapshot.adam);
  }
  std::copy(snapshot.parameters.begin(), snapshot.parameters.end(), parameters.begin());
  parts_->evaluations = snapshot.evaluations;
}

Snapshot Training::snapshot() const {
  const auto parameters = parts_->network.parameters();
  return {.parameters = {parameters.begin(), parameters.end()},
          .adam = parts_->noisy ? parts_->noisy->state() : parts_->plain.state(),
          .evaluations = parts_->evaluations};
}

const TrainingConfig& Training::config() const {
  return parts_->config;
}
std::size_t Training::parameter_count() const {
  return parts_->network.parameter_count();
}
std::string Training::network() const {
  return parts_->network.describe();
}
std::string Training::network_file() const {
  return safetensors(parts_->network.tensors(), parts_->network.parameters(),
                     {{"network", network()},
                      {"pixels", "(byte - 127.5) * 2 / 127.5, channels first"},
                      {"group_norm", "8 groups, eps 1e-5"}});
}
std::size_t Training::steps() const {
  return parts_->steps;
}
std::size_t Training::steps_per_epoch() const {
  return parts_->steps_per_epoch;
}
std::size_t Training::steps_done() const {
  return parts_->steps_done();
}
const std::vector<Evaluation>& Training::evaluations() const {
  return parts_->evaluations;
}
const BatchMechanism* Training::mechanism() const {
  return parts_->noisy ? &parts_->noisy->mechanism() : nullptr;
}

std::optional<double> Training::epsilon_spent() const {
  const BatchMechanism* used = mechanism();
  if (used == nullptr || !used->is_private() || parts_->config.insecure_test_seed) return std::nullopt;
  const double epsilon = used->privacy(parts_->config.delta, steps_done()).epsilon;
  return std::isfinite(epsilon) ? std::optional(epsilon) : std::nullopt;
}

std::vector<SecondMomentPart> Training::second_moment() const {
  std::vector<SecondMomentPart> parts;
  if (parts_->squares.empty() || steps_done() == 0) return parts;
  const BatchMechanism& used = parts_->noisy->mechanism();
  const auto& config = parts_->config;
  const double noise = parts_->noisy->noise_level().second;
  const double weight = -std::expm1(static_cast<double>(steps_done()) * std::log(config.adam.beta_second));
  const std::span<const float> v = parts_->noisy->second_moment();
  std::size_t begin = 0;
  for (const Network::NamedTensor& tensor : parts_->network.tensors()) {
    std::size_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::size_t>(size);
    double ratio = 1, sum = 0;
    used.square_layers().for_each_part(begin, begin + count,
                                       [&](std::size_t, std::size_t, double part) { ratio = part; });
    for (const float value : v.subspan(begin, count)) sum += static_cast<double>(value);
    parts.push_back(
        {.tensor = tensor.name,
         .count = count,
         .bound = used.square_layers().empty() ? config.clip : used.square_layers().clip().bound * ratio,
         .noise = noise * ratio,
         .mean = sum / weight / static_cast<double>(count)});
    begin += count;
  }
  return parts;
}

double Training::accuracy() const {
  const Pictures& test = parts_->dataset->test;
  constexpr std::int64_t part = 512;
  std::int64_t right = 0;
  for (std::int64_t begin = 0; begin < test.size(); begin += part) {
    std::vector<std::uint32_t> chosen;
    for (std::int64_t i = begin; i < std::min(begin + part, test.size()); ++i)
      chosen.push_back(static_cast<std::uint32_t>(i));
    const Batch batch = gather(test, chosen);
    right += parts_->network.logits(batch.pictures).argmax(1).eq(batch.labels).sum().item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(test.size());
}

}  // namespace jme::train
