#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>

#include "filter/norms.hpp"
#include "mechanism/noise_scales.hpp"
#include "mechanism/rounding_payment.hpp"
#include "noise/noise_distance.hpp"

namespace jme {
namespace {

// Sums of this many rows stay below 2^51 lattice units, so that noise can be added exactly.
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
  if (!config.square_clip.empty() && config.method != BatchMethod::jme)
    throw InvalidParameter("square-clip", "only jme has sums of squares whose coordinates can be bounded");
  return config;
}

/// Under Poisson sampling noise must be fresh in every step: amplification would count a second time what
/// shaping already hides in later steps.
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
    shape = choose_shape(workload, horizon, config.objective,
                         state_limit(config.max_state_vectors, config.dimension));
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

/// Where nothing is free, squares weigh as much beside the gradients as without a bound of their own, so that
/// a bound of zeta, which bounds nothing, changes nothing (docs/theory/batches.md#the-default-weight).
double default_lambda(const BatchConfig& config, const SquareLayers& layers) {
  if (layers.empty()) return 1 / (2 * config.norm_bound * config.norm_bound);
  const SquareClip clip = layers.clip();
  if (config.adjacency == Adjacency::replace_one && config.sampling_rate == 1) {
    return free_lambda_of_clipped_squares(
        {.adjacency = config.adjacency, .dimension = config.dimension, .norm_bound = config.norm_bound},
        clip);
  }
  return 1 / (2 * clip.bound * clip.bound);
}

}  // namespace

BatchMechanism::BatchMechanism(const BatchConfig& config)
    : config_(checked(config)),
      c1_(shape_filter(config, config.shape, config.workload)),
      c2_(second_filter(config, c1_)),
      exposure_(jme::exposure(c1_, c2_, Horizon(config.steps, 1),
                              is_sampled() ? Participation{} : *config.participation)),
      square_layers_(config.square_clip, config.dimension, config.norm_bound),
      lambda_(config.lambda.value_or(default_lambda(config, square_layers_))),
      sum_error_(config.sum_error.value_or(default_sum_error(config))),
      lattice_(lattice_of_bounds()),
      sigma_(1) {
  if (is_sampled() && config.participation &&
      (config.participation->rows > 1 || config.participation->separation > 1)) {
    throw InvalidParameter("participations",
                           "must be 1 where batches are sampled: an example may be in any of them");
  }
  const std::optional<ApproxDp> target = config_.budget.approx_dp();
  if (target && !is_private()) {
    throw InvalidParameter(
        "sigma",
        "must be given for jme-paper: squares of a sum of several rows with a single row's noise "
        "have no epsilon");
  }
  sigma_ = target ? sigma_for(*target) : config_.budget.noise_multiplier();
  mu_ = gdp_mu(sigma_);
  calibration_ = calibrated(sigma_);
  if (!is_sampled()) pay_for_rounding();
}

double BatchMechanism::sigma_for(ApproxDp budget) const {
  if (!is_sampled()) return noise_multiplier(budget);
  return subsampled_noise_multiplier(
      {.sampling_rate = config_.sampling_rate, .steps = config_.steps, .adjacency = config_.adjacency},
      budget);
}

double BatchMechanism::square_bound() const {
  const double zeta = config_.norm_bound;
  if (config_.method == BatchMethod::joint_clip) return zeta / std::sqrt(lambda_);
  // sum_i min(x_i^2, c_i^2)^2 (c/c_i)^2 <= c^2 sum_i x_i^2.
  return square_layers_.empty() ? zeta * zeta : zeta * square_layers_.clip().bound;
}

Lattice BatchMechanism::lattice_of_bounds() const {
  Lattice lattice{.first = 0x1p-20 * config_.norm_bound, .second = 0x1p-20 * square_bound()};
  // The mean's square moves by about 4 zeta^2/m, so the lattice is made finer by about m.
  if (config_.method == BatchMethod::jme_batch_mean)
    lattice.second /= std::exp2(std::floor(std::log2(config_.batch)));
  return lattice;
}

BatchSlack BatchMechanism::rounding_slack() const {
  const double root = std::sqrt(static_cast<double>(config_.dimension));
  const double zeta = config_.norm_bound;
  BatchSlack slack{.first = lattice_.first * root + 2 * sum_error_ * zeta};
  if (!has_second()) return slack;
  slack.second = lattice_.second * root;
  if (takes_squares(config_.method)) {
    slack.second += 2 * sum_error_ * square_bound();
  } else {
    // Squares of the rounded sum X + r: each of two neighbours moves by at most 2 |X| |r| + |r|^2, with |X|
    // <= m zeta, and the squares are divided by m^2 (not for jme-paper, where nothing is promised).
    const double r = slack.first / 2;
    const double m = config_.batch;
    slack.second += (4 * m * zeta * r + 2 * r * r) / (m * m);
  }
  return slack;
}

Calibration BatchMechanism::calibrated(double sigma) const {
  return calibrate_batch(
      {.method = config_.method,
       .sigma = sigma,
       .rows = {.adjacency = config_.adjacency,
                .dimension = config_.dimension,
                .norm_bound = config_.norm_bound},
       .exposure = exposure_,
       .slack = rounding_slack(),
       .lambda = lambda_,
       .square_clip = square_layers_.empty() ? std::nullopt : std::optional(square_layers_.clip()),
       .batch = static_cast<std::size_t>(config_.batch),
       .sampled = is_sampled()});
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

// Sampled batches have fresh noise in every step: these are rounded Gaussians, and there is nothing to pay
// for.
void BatchMechanism::pay_for_rounding() {
  const double shift = gdp_mu(sigma_);
  NoiseDistance distance = noise_distance(c1_, noise_scale_first(*this), shift);
  if (has_second()) distance = joined(distance, noise_distance(c2_, noise_scale_second(*this), shift));
  const RoundingPayment paid = jme::pay_for_rounding(config_.budget, sigma_, distance);
  sigma_ = paid.sigma;
  mu_ = paid.mu;
  bad_past_ = paid.bad_past;
  calibration_ = calibrated(sigma_);
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
  BatchPrivacy promise{.epsilon = 0, .delta = delta, .adjacency = config_.adjacency};
  if (done == 0) return promise;  // nothing was drawn
  const std::optional<ApproxDp> target = config_.budget.approx_dp();
  const bool is_budget = target && double{delta} == double{target->delta};
  if (is_budget && (done == config_.steps || !is_sampled())) {
    promise.epsilon = target->epsilon;
    return promise;
  }
  promise.epsilon = is_sampled() ? pld_epsilon({.sampling_rate = config_.sampling_rate,
                                                .steps = done,
                                                .sigma = sigma_,
                                                .adjacency = config_.adjacency},
                                               delta)
                                 : gdp_epsilon(mu_, delta, bad_past_);
  // The whole run's promise covers its beginning.
  if (is_budget) promise.epsilon = std::min(promise.epsilon, double{target->epsilon});
  return promise;
}

}  // namespace jme
