#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>

#include "models/adam_kernels.hpp"
#include "moments/step_threads.hpp"

namespace jme {
namespace {

BatchMechanism mechanism_for(BatchConfig config, const AdamSettings& settings) {
  // Shapes are made for the averages that Adam forms.
  config.workload = decay(settings.beta_first);
  config.workload_second = decay(settings.beta_second);
  return BatchMechanism(config);
}

const AdamSettings& checked(const AdamSettings& settings) {
  const auto require = [](const char* name, double value, bool allowed, const char* rule) {
    if (!allowed || !std::isfinite(value)) throw InvalidParameter(name, value, rule);
  };
  require("learning-rate", settings.learning_rate, settings.learning_rate >= 0,
          "a finite number of at least 0");
  for (const auto& [name, beta] : {std::pair{"beta1", settings.beta_first}, {"beta2", settings.beta_second}})
    require(name, beta, beta > 0 && beta < 1, "in (0, 1)");
  require("eps", settings.epsilon, settings.epsilon >= 0, "a finite number of at least 0");
  require("weight-decay", settings.weight_decay, settings.weight_decay >= 0, "a finite number of at least 0");
  require("least-square", settings.least_square, settings.least_square >= 0, "a finite number of at least 0");
  require("noise-floor", settings.noise_floor, settings.noise_floor >= 0, "a finite number of at least 0");
  if (settings.epsilon == 0 && settings.least_square == 0)
    throw InvalidParameter("eps", 0, "above 0, or least-square: nothing may be divided by 0");
  if (settings.update_bound)
    require("update-bound", *settings.update_bound, *settings.update_bound > 0, "a finite number above 0");
  if (settings.update_norm)
    require("update-norm", *settings.update_norm, *settings.update_norm > 0, "a finite number above 0");
  return settings;
}

/// The public numbers of step `step` (from 1).
AdamKernel kernel_for(const AdamSettings& settings, const BatchMechanism& mechanism, std::size_t step,
                      double squared_noise) {
  const BatchConfig& config = mechanism.config();
  const auto t = static_cast<double>(step);
  const bool post = !mechanism.has_second();
  const double noise = mechanism.calibration().std_first / config.batch;
  double square_scale = 1;
  if (takes_squares(config.method)) square_scale = 1 / config.batch;
  if (config.method == BatchMethod::jme_paper) square_scale = 1 / (config.batch * config.batch);
  const bool debias = config.method == BatchMethod::pp_debiased;
  return {.beta_first = static_cast<float>(settings.beta_first),
          .beta_second = static_cast<float>(settings.beta_second),
          .gradient_scale = static_cast<float>(1 / config.batch),
          .square_scale = static_cast<float>(square_scale),
          .square_offset = debias ? static_cast<float>(-noise * noise * squared_noise) : 0.0F,
          .squares_sum = post,
          .correct_first = static_cast<float>(-1 / std::expm1(t * std::log(settings.beta_first))),
          .correct_second = static_cast<float>(-1 / std::expm1(t * std::log(settings.beta_second))),
          .least_square = static_cast<float>(settings.least_square),
          .epsilon = static_cast<float>(settings.epsilon),
          .update_bound =
              static_cast<float>(settings.update_bound.value_or(std::numeric_limits<float>::infinity())),
          .step = static_cast<float>(settings.learning_rate),
          .shrink = static_cast<float>(1 - settings.learning_rate * settings.weight_decay)};
}

/// beta^(t-1-s) (1 - beta) / (1 - beta^t), s = 0 .. t-1: the weights of a bias-corrected average.
std::vector<double> average_weights(double beta, std::size_t steps) {
  std::vector<double> weights(steps);
  const double total = -std::expm1(static_cast<double>(steps) * std::log(beta));
  double weight = (1 - beta) / total;
  for (std::size_t s = steps; s-- > 0;) {
    weights[s] = weight;
    weight *= beta;
  }
  return weights;
}

/// The length of those weights: their squares are a geometric series.
double average_length(double beta, std::size_t steps) {
  const double last = std::pow(beta, static_cast<double>(steps));
  return std::sqrt((1 - beta) * (1 + last) / ((1 + beta) * (1 - last)));
}

}  // namespace

Adam::Adam(const AdamSettings& settings, BlockStream stream)
    : settings_(checked(settings)),
      stream_(std::move(stream)),
      first_(slice().count, 0.0F),
      second_(slice().count, 0.0F) {
  if (mechanism().config().method == BatchMethod::pp_debiased)
    squared_noise_ = mechanism().squared_noise_rows();
}

Adam::Adam(const BatchConfig& config, const AdamSettings& settings)
    : Adam(settings, BlockStream(mechanism_for(config, checked(settings)))) {}

Adam::Adam(const BatchConfig& config, const AdamSettings& settings, InsecureTestSeed seed)
    : Adam(settings, BlockStream(mechanism_for(config, checked(settings)), seed)) {}

Adam::Adam(const BatchConfig& config, const AdamSettings& settings, AdamShare share)
    : Adam(settings, BlockStream(mechanism_for(config, checked(settings)), share.noise)) {
  add_up_ = std::move(share.add_up);
}

void Adam::for_each_part(std::size_t begin, std::size_t count,
                         const std::function<void(std::size_t, std::size_t, double)>& work) const {
  const std::size_t own = slice().begin;
  mechanism().square_layers().for_each_part(
      own + begin, own + begin + count,
      [&](std::size_t from, std::size_t to, double ratio) { work(from - own, to - from, ratio); });
}

double Adam::sum_over(const std::function<double(std::size_t, std::size_t)>& part) {
  // Added up in their order, so that neither threads nor processes change a number: others have 0 here.
  std::vector<double> parts(mechanism().config().dimension / coordinates_per_piece + 1, 0.0);
  const std::size_t own = slice().begin;
  stream_.share_out([&](std::size_t begin, std::size_t count) {
    parts[(own + begin) / coordinates_per_piece] = part(begin, count);
  });
  if (add_up_) add_up_(parts);
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void Adam::check(std::span<const float> gradients, std::span<const float> squares, std::size_t examples) {
  const BatchConfig& config = mechanism().config();
  const bool with_squares = takes_squares(config.method);
  const std::size_t expected = with_squares ? slice().count : 0;
  if (gradients.size() != slice().count || squares.size() != expected) {
    throw DataError(fmt::format("batch {}: gradients and squares must have {} and {} numbers",
                                steps_done() + 1, slice().count, expected));
  }
  if (config.sampling_rate == 1 && static_cast<double>(examples) > config.batch)
    throw DataError(fmt::format("batch {}: has more examples than a batch has", steps_done() + 1));
  if (static_cast<double>(examples) > 0x1p30)
    throw DataError(fmt::format("batch {}: has more than 2^30 examples", steps_done() + 1));
  // A sum of that many clipped gradients is no longer than this; a longer sum was not clipped.
  const auto check_length = [&](double square, double bound, const char* what) {
    const double allowed = bound * (static_cast<double>(examples) + mechanism().sum_error()) * (1 + 1e-6);
    if (!(std::sqrt(square) <= allowed)) {
      throw DataError(
          fmt::format("batch {}: the sum of {} is not finite or longer than its clipped examples allow",
                      steps_done() + 1, what));
    }
  };
  const double gradient_length = sum_over(
      [&](std::size_t begin, std::size_t count) { return squared_length(gradients.data() + begin, count); });
  check_length(gradient_length, config.norm_bound, "gradients");
  if (!with_squares) return;
  const double square_length = sum_over([&](std::size_t begin, std::size_t count) {
    double sum = 0;
    for_each_part(begin, count, [&](std::size_t from, std::size_t length, double ratio) {
      sum += squared_length(squares.data() + from, length) / (ratio * ratio);
    });
    return sum;
  });
  check_length(square_length, mechanism().square_bound(), "squares");
}

void Adam::step(std::span<float> parameters, std::span<const float> gradients, std::span<const float> squares,
                std::size_t examples) {
  checked(settings_);
  if (parameters.size() != slice().count)
    throw InvalidParameter("parameters", "there must be as many as the dimension says, or the slice");
  if (steps_done() >= mechanism().config().steps) throw BudgetExhausted("training: all its steps are done");
  check(gradients, squares, examples);
  const std::size_t done = steps_done();
  const double squared_noise = squared_noise_.empty() ? 0 : squared_noise_[done];
  AdamKernel kernel = kernel_for(settings_, mechanism(), done + 1, squared_noise);
  const double floor = settings_.noise_floor > 0 ? settings_.noise_floor * noise_level(done + 1).second : 0;
  const auto kernel_at = [&](double ratio) {  // squares with a smaller bound have less noise
    AdamKernel here = kernel;
    here.least_square = std::max(kernel.least_square, static_cast<float>(floor * ratio));
    return here;
  };
  const bool at_once = !settings_.update_norm;
  const auto load = [&](const BlockTile& tile) {
    widen(gradients.data() + tile.begin, tile.first.data(), tile.first.size());
    if (!squares.empty()) widen(squares.data() + tile.begin, tile.second.data(), tile.second.size());
  };
  const auto take = [&](const BlockTile& tile) {
    for_each_part(tile.begin, tile.first.size(), [&](std::size_t from, std::size_t count, double ratio) {
      const std::size_t inside = from - tile.begin;
      adam_tile(kernel_at(ratio), tile.first.data() + inside, tile.second.data() + inside,
                first_.data() + from, second_.data() + from, at_once ? parameters.data() + from : nullptr,
                count);
    });
  };
  std::vector<const float*> touched{gradients.data(), first_.data(), second_.data(), parameters.data()};
  if (!squares.empty()) touched.push_back(squares.data());
  stream_.step(load, take, touched);
  if (at_once) return;
  const double square = sum_over([&](std::size_t begin, std::size_t count) {
    double sum = 0;
    for_each_part(begin, count, [&](std::size_t from, std::size_t length, double ratio) {
      sum += squared_update(kernel_at(ratio), first_.data() + from, second_.data() + from, length);
    });
    return sum;
  });
  kernel.step *= static_cast<float>(std::min(1.0, *settings_.update_norm / std::sqrt(square)));
  stream_.share_out([&](std::size_t begin, std::size_t count) {
    for_each_part(begin, count, [&](std::size_t from, std::size_t length, double ratio) {
      apply_update(kernel_at(ratio), first_.data() + from, second_.data() + from, parameters.data() + from,
                   length);
    });
  });
}

BatchMechanism::NoiseLevel Adam::noise_level(std::size_t steps) const {
  if (steps == 0) return {.first = 0, .second = 0};
  const BatchConfig& config = mechanism().config();
  if (steps > config.steps)
    throw InvalidParameter("steps", static_cast<double>(steps), "at most all of them");
  const double beta_first = settings_.beta_first, beta_second = settings_.beta_second;
  BatchMechanism::NoiseLevel level{.first = 0, .second = 0};
  if (mechanism().is_sampled()) {  // fresh noise in every step
    const Calibration& noise = mechanism().calibration();
    level.first = noise.std_first * average_length(beta_first, steps);
    if (mechanism().has_second()) level.second = noise.std_second * average_length(beta_second, steps);
  } else {
    level = mechanism().noise_level(average_weights(beta_first, steps), average_weights(beta_second, steps));
  }
  level.first /= config.batch;
  if (takes_squares(config.method)) level.second /= config.batch;
  if (config.method == BatchMethod::jme_paper) level.second /= config.batch * config.batch;
  return level;
}

AdamState Adam::state() const {
  return {.noise = stream_.state(),
          .first = {first_.begin(), first_.end()},
          .second = {second_.begin(), second_.end()}};
}

void Adam::restore(const AdamState& state) {
  const auto fits = [&](const std::vector<float>& values) {
    return values.size() == first_.size() &&
           std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  };
  if (!fits(state.first) || !fits(state.second))
    throw StateError("state: its moments are not those of this training");
  stream_.restore(state.noise);
  first_.assign(state.first.begin(), state.first.end());
  second_.assign(state.second.begin(), state.second.end());
}

double clip_factor(double norm, double bound) {
  if (!(norm >= 0) || !std::isfinite(norm)) return 0;
  // The product of a float and this factor, itself rounded to float, is off by two units of 2^-24 at most.
  constexpr double margin = 1 - 0x1p-22;
  if (norm <= bound * margin) return 1;
  // Below this floats lose digits, and rounding the factor itself could make the gradient too long.
  constexpr double least = 0x1p-126;
  const double factor = bound / norm * margin;
  return factor >= least ? factor : 0;
}

double joint_clip_factor(double sum_of_squares, double sum_of_fourth_powers, double tau, double bound) {
  return clip_factor(std::sqrt(sum_of_squares + tau * sum_of_fourth_powers), bound);
}

}  // namespace jme
