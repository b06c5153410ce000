#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/filter/norms.hpp>
#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/noise/sampler_use.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>

#include "mechanism/joined_use.hpp"

namespace jme {
namespace {

// Sums of so many rows stay below 2^51 lattice units, so that noise can be added exactly.
constexpr double largest_batch = 0x1p30;
constexpr double float_unit = 0x1p-24;

const BatchConfig& checked(const BatchConfig& config) {
  if (config.steps == 0) throw InvalidParameter("steps", 0, "a whole number of at least 1");
  if (config.dimension == 0) throw InvalidParameter("dimension", 0, "a whole number of at least 1");
  const NormBound zeta(config.norm_bound);
  if (zeta > 1e60 || zeta < 1e-60) throw InvalidParameter("norm-bound", zeta, "between 1e-60 and 1e60");
  if (!(config.batch >= 1 && config.batch <= largest_batch))
    throw InvalidParameter("batch", config.batch, "between 1 and 2^30");
  // Squares of the sum itself stay below 2^51 lattice units for smaller batches only.
  if (config.method == BatchMethod::jme_paper && config.batch > 0x1p15)
    throw InvalidParameter("batch", config.batch, "at most 2^15 for jme-paper");
  if (!(config.sampling_rate > 0 && config.sampling_rate <= 1))
    throw InvalidParameter("sampling-rate", config.sampling_rate, "in (0, 1]");
  if (config.sampling_rate == 1 && config.batch != std::floor(config.batch))
    throw InvalidParameter("batch", config.batch, "a whole number where batches have a fixed size");
  if (config.sum_error && !(*config.sum_error >= config.batch * float_unit && *config.sum_error <= 1))
    throw InvalidParameter("sum-error", *config.sum_error, "between batch * 2^-24 and 1");
  if (config.sampling_rate == 1 && !config.participation)
    throw InvalidParameter("participations",
                           "must be given where batches are not sampled: how often one example is used");
  if (config.lambda && (!(*config.lambda > 0) || !std::isfinite(*config.lambda)))
    throw InvalidParameter("lambda", *config.lambda, "a finite number above 0");
  return config;
}

/// Under Poisson sampling noise must be fresh: what shaping hides in later steps, amplification would count
/// twice.
Filter shape_filter(const BatchConfig& config, const Shape& asked, const Workload& workload) {
  const Horizon horizon(config.steps, 1);
  Shape shape = asked;
  if (config.sampling_rate < 1) {
    if (shape.kind() == Shape::Kind::automatic) shape = Shape::identity();
    if (shape.kind() != Shape::Kind::identity) {
      throw InvalidParameter(
          "shape", shape.name(),
          "identity where batches are sampled: shaped noise has no amplification by sampling");
    }
  } else if (shape.kind() == Shape::Kind::automatic) {
    shape = choose_shape(workload, horizon, config.objective, config.max_state_vectors);
  }
  Filter filter = shape.filter(workload, horizon, config.objective);
  if (!filter.is_invertible())
    throw InvalidParameter("shape", shape.name(), "invertible (a diagonal without zeros)");
  return filter;
}

Filter second_filter(const BatchConfig& config, const Filter& first) {
  if (!has_second_channel(config.method)) return first;
  if (!config.shape_second && !config.workload_second) return first;
  return shape_filter(config, config.shape_second.value_or(config.shape),
                      config.workload_second.value_or(config.workload));
}

/// Covers sums in double, rounded once to float, and short ones in float (see BatchConfig). A sampled batch
/// is larger than m + 12 sqrt(m) + 60 with probability below 2^-80 (Bernstein).
double default_sum_error(const BatchConfig& config) {
  const double most =
      config.sampling_rate < 1 ? config.batch + 12 * std::sqrt(config.batch) + 60 : config.batch;
  return std::clamp((most + 1) * float_unit, 0x1p-12, 1.0);
}

/// Roughly the mu of the whole run: fit for weighing costs, not for promising.
double rough_mu(const BatchConfig& config, double sigma) {
  if (config.sampling_rate == 1) return 1 / sigma;
  const double growth = std::expm1(std::min(1 / (sigma * sigma), 50.0));
  return config.sampling_rate * std::sqrt(static_cast<double>(config.steps) * growth);
}

/// A bound on one example's part of the second channel.
double square_bound(const BatchConfig& config, double lambda) {
  const double zeta = config.norm_bound;
  return config.method == BatchMethod::joint_clip ? zeta / std::sqrt(lambda) : zeta * zeta;
}

}  // namespace

BatchMechanism::BatchMechanism(const BatchConfig& config)
    : config_(checked(config)),
      c1_(shape_filter(config, config.shape, config.workload)),
      c2_(second_filter(config, c1_)),
      exposure_(jme::exposure(c1_, c2_, Horizon(config.steps, 1),
                              is_sampled() ? Participation{} : *config.participation)),
      lambda_(config.lambda.value_or(1 / (2 * config.norm_bound * config.norm_bound))),
      sum_error_(config.sum_error.value_or(default_sum_error(config))),
      lattice_(lattice_of(-20)),
      sigma_(1) {
  if (is_sampled() && config.participation &&
      (config.participation->rows > 1 || config.participation->separation > 1)) {
    throw InvalidParameter("participations",
                           "must be 1 where batches are sampled: an example may be in any of them");
  }
  const Budget& budget = config_.budget;
  if (budget.sigma != 0) {
    sigma_ = budget.noise_multiplier();
    choose_lattice();
    return;
  }
  if (!is_private()) {
    throw InvalidParameter(
        "sigma",
        "must be given for jme-paper: squares of a sum of several rows with a single row's noise "
        "have no epsilon");
  }
  sigma_ = sigma_for({.epsilon = budget.epsilon, .delta = budget.delta});
  choose_lattice();
  pay_for_sampler();
}

double BatchMechanism::sigma_for(ApproxDp budget) const {
  if (!is_sampled()) return noise_multiplier(budget);
  return subsampled_noise_multiplier(
      {.sampling_rate = config_.sampling_rate, .steps = config_.steps, .adjacency = config_.adjacency},
      budget);
}

Lattice BatchMechanism::lattice_of(int power) const {
  Lattice lattice{.first = std::exp2(power) * config_.norm_bound,
                  .second = std::exp2(power) * square_bound(config_, lambda_)};
  // The mean's square moves by about 4 zeta^2/m: the lattice keeps as many units below it.
  if (config_.method == BatchMethod::jme_batch_mean)
    lattice.second /= std::exp2(std::floor(std::log2(config_.batch)));
  return lattice;
}

// A coarse lattice costs sensitivity, gamma sqrt(d); a fine one asks for more digits of every draw, and long
// runs of wide models draw 10^11 times (random/GUARANTEES.md). Takes the power of 2 where both cost least
// noise. Which one is public and does not matter for privacy: both costs are counted.
void BatchMechanism::choose_lattice() {
  const double epsilon_to_compare = 5 * rough_mu(config_, sigma_);  // of a delta near 1e-6
  double least = std::numeric_limits<double>::infinity();
  int best = -20;
  for (int power = -20; power <= -14; ++power) {
    lattice_ = lattice_of(power);
    calibration_ = calibrated(sigma_);
    const double distance = sampler_distance(use_of_sampler(), 1e-12).epsilon;
    const double cost = calibration_.sensitivity * (1 + distance / epsilon_to_compare);
    if (cost < least) {
      least = cost;
      best = power;
    }
  }
  lattice_ = lattice_of(best);
  calibration_ = calibrated(sigma_);
}

RoundingSlack BatchMechanism::rounding_slack() const {
  const double root = std::sqrt(static_cast<double>(config_.dimension));
  const double zeta = config_.norm_bound;
  RoundingSlack slack{.first = lattice_.first * root + 2 * sum_error_ * zeta};
  if (!has_second()) return slack;
  slack.second = lattice_.second * root;
  if (takes_squares(config_.method)) {
    slack.second += 2 * sum_error_ * square_bound(config_, lambda_);
  } else {
    // Squares of the rounded sum X + r: each of two neighbours moves by at most 2 |X| |r| + |r|^2, with |X|
    // <= m zeta, and the squares are divided by m^2 (jme-paper: not; nothing is promised there).
    const double r = slack.first / 2;
    const double m = config_.batch;
    slack.second += (4 * m * zeta * r + 2 * r * r) / (m * m);
  }
  return slack;
}

Calibration BatchMechanism::calibrated(double sigma) const {
  return calibrate_batch({.method = config_.method,
                          .sigma = sigma,
                          .rows = {.adjacency = config_.adjacency,
                                   .dimension = config_.dimension,
                                   .norm_bound = config_.norm_bound},
                          .exposure = exposure_,
                          .slack = rounding_slack(),
                          .lambda = lambda_,
                          .batch = static_cast<std::size_t>(config_.batch),
                          .sampled = is_sampled()});
}

NoiseScale BatchMechanism::noise_scale_first() const {
  return NoiseScale::uniform(config_.dimension, calibration_.std_first / lattice_.first);
}
NoiseScale BatchMechanism::noise_scale_second() const {
  return NoiseScale::uniform(config_.dimension, calibration_.std_second / lattice_.second);
}

std::vector<double> BatchMechanism::squared_noise_rows() const {
  return squared_inverse_row_norms(c1_);
}

BatchMechanism::NoiseLevel BatchMechanism::noise_level(std::span<const double> weights_first,
                                                       std::span<const double> weights_second) const {
  const auto length = [&](std::span<const double> weights, const Filter& shape) {
    std::vector<double> row(weights.begin(), weights.end());
    row.resize(config_.steps, 0.0);
    return std::sqrt(squared_error_row_norm(row, shape));
  };
  const double first = length(weights_first, c1_);
  const double second = has_second() ? length(weights_second, c2_) : 0;
  return {.first = calibration_.std_first * first, .second = calibration_.std_second * second};
}

SamplerUse BatchMechanism::use_of_sampler() const {
  // A sampled example may be in every batch.
  const std::size_t touched = is_sampled() ? config_.steps : exposure_.blocks_touched;
  const SamplerUse first = sampler_use(c1_, noise_scale_first(), touched);
  return has_second() ? joined(first, sampler_use(c2_, noise_scale_second(), touched)) : first;
}

void BatchMechanism::pay_for_sampler() {
  const ApproxDp target{.epsilon = config_.budget.epsilon, .delta = config_.budget.delta};
  const SamplerUse use = use_of_sampler();
  // As Mechanism: more noise asks more of the sampler, so the correction is computed with room above it.
  for (const double room : {1.001, 1.01, 1.1, 2.0}) {
    SamplerUse roomy = use;
    roomy.largest_fresh_std *= room;
    roomy.fresh_variance *= room * room;
    const double sigma = sigma_for(ideal_budget(target, roomy));  // throws where nothing is left
    if (sigma > room * sigma_) continue;
    sigma_ = sigma;
    calibration_ = calibrated(sigma);
    return;
  }
  throw InvalidParameter("epsilon", target.epsilon,
                         "larger: the noise generator's own error over so many draws is most of it");
}

bool BatchMechanism::is_private() const {
  return config_.method != BatchMethod::jme_paper || (config_.batch == 1 && !is_sampled());
}

BatchPrivacy BatchMechanism::privacy(Delta delta, std::optional<std::size_t> steps) const {
  if (!is_private()) {
    throw InvalidParameter(
        "method", name(config_.method),
        "another one for a guarantee: squares of a sum of several rows with a single row's noise "
        "have no epsilon");
  }
  const std::size_t done = std::min(steps.value_or(config_.steps), config_.steps);
  BatchPrivacy promise{.epsilon = 0, .delta = delta, .adjacency = config_.adjacency, .ideal_epsilon = 0};
  if (done == 0) return promise;  // nothing was drawn
  const auto ideal = [&](double left) {
    return is_sampled() ? pld_epsilon({.sampling_rate = config_.sampling_rate,
                                       .steps = done,
                                       .sigma = sigma_,
                                       .adjacency = config_.adjacency},
                                      left)
                        : gaussian_epsilon(sigma_, left);
  };
  promise.ideal_epsilon = ideal(delta);
  const bool is_budget = config_.budget.sigma == 0 && delta == config_.budget.delta;
  if (is_budget && (done == config_.steps || !is_sampled())) {
    promise.epsilon = config_.budget.epsilon;
    return promise;
  }
  promise.epsilon = epsilon_with_sampler(use_of_sampler(), delta, ideal);
  // The whole run's promise covers its beginning.
  if (is_budget) promise.epsilon = std::min(promise.epsilon, config_.budget.epsilon);
  return promise;
}

}  // namespace jme
