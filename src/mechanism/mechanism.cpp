#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/privacy/gaussian.hpp>

#include "filter/norms.hpp"
#include "mechanism/mechanism_family.hpp"
#include "mechanism/noise_scales.hpp"
#include "mechanism/parts.hpp"
#include "mechanism/people_shape.hpp"
#include "mechanism/rounding_payment.hpp"

namespace jme {
namespace {

// Products of rows and their lattice are formed in double; beyond this the square of the bound leaves its
// range.
constexpr double largest_norm_bound = 1e140;
// As a part of the noise; where the cost is higher, running sums have two words.
constexpr double affordable_cost = 1e-3;

bool is_joint(Method method) {
  return method == Method::jme || method == Method::lambda_jme;
}

bool same_workload(const StreamConfig& config) {
  const std::optional<Workload>& second = config.workload_second;
  return !second || (second->kind() != Workload::Kind::custom && second->name() == config.workload.name());
}

void check_geometry(const StreamConfig& config) {
  const bool is_plain = config.geometry == Geometry::automatic || config.geometry == Geometry::ball;
  if (is_plain || is_joint(config.method)) return;
  throw InvalidParameter("geometry", name(config.geometry),
                         "ball or auto unless the method is jme or lambda-jme");
}

// Counts belong to one workload: a mean divides sums by counts with the same weights.
void check_counts(const StreamConfig& config) {
  if (config.persons_are_limited && !config.private_count) {
    throw InvalidParameter("person",
                           "needs a private count: rows beyond the limit are rows that do not exist");
  }
  if (config.persons_are_limited && config.participation.separation != 1) {
    throw InvalidParameter("separation", "is not for limited rows per person: ids do not keep them apart");
  }
  if (config.participation.windows && !(config.persons_are_limited && config.slot_seconds)) {
    throw InvalidParameter("rows-per-person",
                           "a limit for each window of time needs ids (person), and steps that are slots of "
                           "time: a step of rows could hold rows of two windows");
  }
  if (!config.observed && !config.private_count) return;
  const char* const field =
      config.persons_are_limited ? "person" : (config.observed ? "missing" : "private-count");
  if (!is_joint(config.method)) {
    const char* const what = config.persons_are_limited
                                 ? "a limit of rows per person, with its private count,"
                             : config.observed ? "observed"
                                               : "a private number of rows";
    throw InvalidParameter(
        field, fmt::format("{} needs the method jme or lambda-jme: no other releases counts", what));
  }
  if (config.second != SecondMoment::none && !same_workload(config)) {
    throw InvalidParameter(field, "private counts need the same workload for both moments");
  }
  if (!config.observed) return;
  const char* const cells = "missing";
  if (config.geometry == Geometry::ball || !(config.unit_box || config.geometry == Geometry::box)) {
    throw InvalidParameter(
        cells,
        "observed needs bounds for every column, and the geometry auto or box: what an absent cell "
        "changes is known for rows in a box");
  }
  if (config.norm_bound < std::sqrt(static_cast<double>(config.dimension))) {
    throw InvalidParameter("norm-bound", config.norm_bound,
                           "left out with missing observed, or at least the square root of the dimension");
  }
}

// A slot has any number of rows: its count is private, and nothing is known about the distance of two rows.
void check_slots(const StreamConfig& config) {
  if (!config.slot_seconds) return;
  if (*config.slot_seconds == 0) throw InvalidParameter("every", "a slot must have a length");
  if (!config.private_count) {
    throw InvalidParameter("private-count", "must be set where steps are slots of time");
  }
  if (config.participation.separation != 1) {
    throw InvalidParameter("separation", "counts rows, and slots of time have no number of rows");
  }
}

const StreamConfig& checked(const StreamConfig& config) {
  if (config.dimension == 0) throw InvalidParameter("dimension", 0, "a whole number of at least 1");
  const NormBound zeta(config.norm_bound);
  if (zeta > largest_norm_bound || zeta < 1 / largest_norm_bound) {
    throw InvalidParameter("norm-bound", zeta, "between 1e-140 and 1e140");
  }
  if (config.balance && !(*config.balance > 0 && std::isfinite(*config.balance))) {
    throw InvalidParameter("balance", *config.balance, "free, balanced or a finite weight above 0");
  }
  if (config.balance && config.lambda) {
    throw InvalidParameter("lambda", "give either lambda or balance: both set the second moment's weight");
  }
  check_geometry(config);
  check_counts(config);
  check_slots(config);
  return config;
}

// PP squares its noisy rows: a shape whose noise cancels over time helps its first moment and ruins its
// second (docs/theory/calibration.md#post-processing), so `auto` is the identity there.
Shape resolve(const Shape& shape, const Workload& workload, const Horizon& horizon,
              const StreamConfig& config) {
  if (shape.kind() != Shape::Kind::automatic) return shape;
  if (squares_noisy_rows(config.method) && config.second != SecondMoment::none) return Shape::identity();
  if (rows_fill_several_steps(workload, horizon, config.participation)) {
    return choose_people_shape(workload, horizon, config.objective, state_limit(config),
                               config.participation);
  }
  return choose_shape(workload, horizon, config.objective, state_limit(config));
}

Shape resolve_second(const StreamConfig& config, const Shape& first, const Workload& workload,
                     const Horizon& horizon) {
  if (config.second == SecondMoment::none || squares_noisy_rows(config.method)) return Shape::identity();
  const Shape& asked = config.shape_second ? *config.shape_second : config.shape;
  if (config.method == Method::cs) {
    if (config.shape_second && asked.kind() != Shape::Kind::automatic && asked.name() != first.name()) {
      throw InvalidParameter("shape2", asked.name(),
                             "the first channel's shape: cs privatises both moments as one vector");
    }
    return first;
  }
  if (asks_the_same(config)) return first;
  return resolve(asked, workload, horizon, config);
}

Filter checked_shape_filter(const Filter& filter, const Shape& shape) {
  if (!filter.is_invertible())
    throw InvalidParameter("shape", shape.name(), "invertible (a diagonal without zeros)");
  return filter;
}

// How far rounding can move one entry of a block's values, per unit column norm
// (docs/theory/safety.md#data-on-the-lattice).
RoundingSlack rounding_slack(const StreamConfig& config, const Horizon& horizon, const Lattice& lattice) {
  // Weighted sums inside a block are formed in double: k terms, total weight at most min(k, 1/(1-beta)), each
  // at most 2^20 lattice units; twice the textbook bound (k+3) u covers the rescaling between panels.
  const auto floating_error = [&](const Workload& workload, std::size_t further_terms = 0) {
    if (!workload.weighs_rows(horizon)) return 0.0;
    const auto k = static_cast<double>(horizon.every());
    const double weight = std::min(k, 1 / (1 - workload.beta()));
    return 2 * (k + 3 + static_cast<double>(further_terms)) * 0x1p-53 * weight * 0x1p20;
  };
  RoundingSlack slack;
  if (squares_noisy_rows(config.method))
    return slack;  // PP adds noise to each lattice row: nothing is snapped
  if (config.workload.weighs_rows(horizon)) {
    const double units = 1 + 2 * floating_error(config.workload);
    slack.first = lattice.first * units;
    // Counts of pairs are on the lattice of products.
    slack.count = std::max(0x1p-20, config.observed ? lattice.second : 0.0) * units;
  }
  if (config.second != SecondMoment::none) {
    const Workload& second = config.workload_second ? *config.workload_second : config.workload;
    slack.second = lattice.second * (1 + 2 * floating_error(second));
    // A row's squares sum to no more than the bound of a single one, and one more sum is over all columns.
    slack.trace = lattice.second * (1 + 2 * floating_error(second, config.dimension));
  }
  return slack;
}

// In the box the corners must be lattice points, so that snapping never leaves it. Noise off the diagonal
// grows with the square root of the columns' number there, and the products' lattice with it.
Lattice lattice_of(const StreamConfig& config, Geometry geometry) {
  if (geometry != Geometry::box) {
    const double first = 0x1p-20 * config.norm_bound;
    return {.first = first, .second = 0x1p-20 * config.norm_bound * config.norm_bound};
  }
  constexpr std::size_t few_columns = 64;
  constexpr unsigned most_bits = 28;
  unsigned bits = 20;
  while (bits < most_bits && (few_columns << (bits - 20)) < config.dimension) ++bits;
  return {.first = 0x1p-20, .second = std::ldexp(1.0, static_cast<int>(bits) - 40), .product_bits = bits};
}

}  // namespace

bool has_numbers(const Shape& shape) {
  return shape.kind() == Shape::Kind::custom || shape.blt_parameters().has_value();
}

bool asks_the_same(const StreamConfig& config) {
  const std::optional<Shape>& second = config.shape_second;
  // A name says it all, but for shapes with their own numbers.
  const bool same_shape = !second || (second->name() == config.shape.name() && !has_numbers(*second) &&
                                      !has_numbers(config.shape));
  return same_workload(config) && same_shape && !squares_noisy_rows(config.method);
}

Mechanism::Mechanism(const StreamConfig& config) : Mechanism(config, nullptr) {}

Mechanism::Mechanism(const StreamConfig& config, MechanismFamily& family) : Mechanism(config, &family) {}

Mechanism::Mechanism(const StreamConfig& config, MechanismFamily* family)
    : config_(checked(config)),
      horizon_(horizon_of(config)),
      parts_(family != nullptr ? family->parts_of(*this) : make_parts()),
      sigma_(config.budget.noise_multiplier()),
      mu_(gdp_mu(sigma_)),
      geometry_(chosen_geometry()),
      lattice_(lattice_of(config, geometry_)) {
  const bool joint = has_second() && !squares_noisy_rows(config_.method);
  lambda_free_ = joint ? largest_free_lambda(row_model(geometry_), exposure()) : 0;
  calibration_ = calibrated(geometry_, sigma_);
  pay_for_rounding();
  if (!config_.budget.sigma) calibration_ = calibrated(geometry_, sigma_);
}

RowModel Mechanism::row_model() const {
  return row_model(geometry_);
}

RowModel Mechanism::row_model(Geometry geometry) const {
  return {.adjacency = config_.adjacency,
          .dimension = config_.dimension,
          .norm_bound = config_.norm_bound,
          .geometry = geometry,
          .second = config_.second,
          .presence = presence_of(config_),
          .counts_rows = config_.private_count};
}

// The balance of errors, or what was given.
std::optional<double> Mechanism::asked_lambda(const RowModel& rows) const {
  if (!config_.balance || !has_second() || squares_noisy_rows(config_.method)) return config_.lambda;
  const double norms = second_is_like_first() ? 1
                                              : error_norm_totals(a2(), c2(), error_steps()).sum /
                                                    error_norm_totals(a1(), c1(), error_steps()).sum;
  const auto d = static_cast<double>(config_.dimension);
  // Entries of the second moment in units of the noise on its diagonal; off it each counts twice.
  const EntryWeights weights = entry_weights(rows);
  const double diagonal = d * (1 - trace_share(weights, config_.dimension));
  const double n2 =
      rows.second == SecondMoment::full ? diagonal + d * (d - 1) / weights.off_diagonal : diagonal;
  return weighted_lambda(rows, exposure(), *config_.balance * n2 * norms / d);
}

// Where lambda is given it may be beyond what is free, and the trace would then cost more.
bool Mechanism::has_free_trace() const {
  return config_.method == Method::jme && config_.adjacency == Adjacency::replace_one && has_second() &&
         config_.dimension > 1 && !config_.private_count && !config_.lambda && !config_.balance;
}

// The smallest error of the second moment, or of the first where there is no other. All are sound.
Geometry Mechanism::chosen_geometry() const {
  if (config_.geometry != Geometry::automatic) return config_.geometry;
  if (!is_joint(config_.method)) return Geometry::ball;
  if (config_.observed) return Geometry::box;
  if (!config_.unit_box && !has_free_trace()) return Geometry::ball;
  const auto error = [&](Geometry geometry) {
    const Calibration noise = calibrated(geometry, sigma_);
    const auto d = static_cast<double>(config_.dimension);
    if (!has_second()) return noise.std_first * noise.std_first;
    const double off = noise.std_off_diagonal * noise.std_off_diagonal;
    return noise.std_diagonal() * noise.std_diagonal() + (d - 1) * off;
  };
  // Under add-remove the ball has no free second moment to compare with.
  const bool ball_needs_lambda =
      config_.adjacency == Adjacency::add_remove && config_.method == Method::jme && !config_.lambda;
  if (ball_needs_lambda) return Geometry::box;
  Geometry best = Geometry::ball;
  if (has_free_trace() && error(Geometry::ball_trace) < error(best)) best = Geometry::ball_trace;
  if (config_.unit_box && error(Geometry::box) <= error(best)) best = Geometry::box;
  return best;
}

std::shared_ptr<const Mechanism::Parts> Mechanism::make_parts() const {
  const bool joint = has_second() && !squares_noisy_rows(config_.method);
  const Shape first = resolve(config_.shape, config_.workload, noise_horizon(), config_);
  const Shape second = resolve_second(config_, first, workload_second(), horizon_);
  const Filter c1 =
      checked_shape_filter(first.filter(config_.workload, noise_horizon(), config_.objective), first);
  const bool is_shared = config_.method == Method::cs || (has_second() && asks_the_same(config_));
  const Filter c2 =
      is_shared ? c1
                : checked_shape_filter(second.filter(workload_second(), horizon_, config_.objective), second);
  const ShapeRounding rounding = shape_rounding(c1);
  return std::make_shared<const Parts>(
      Parts{.shape_first = first,
            .shape_second = second,
            .a1 = config_.workload.filter(horizon_),
            .a2 = workload_second().filter(horizon_),
            .c1 = c1,
            .c2 = c2,
            .exposure = jme::exposure(c1, joint ? c2 : c1, noise_horizon(), config_.participation),
            .rounding_first = rounding,
            .rounding_second = is_shared || !joint ? rounding : shape_rounding(c2)});
}

const Shape& Mechanism::shape_first() const {
  return parts_->shape_first;
}
const Shape& Mechanism::shape_second() const {
  return parts_->shape_second;
}
const Filter& Mechanism::a1() const {
  return parts_->a1;
}
const Filter& Mechanism::a2() const {
  return parts_->a2;
}
const Filter& Mechanism::c1() const {
  return parts_->c1;
}
const Filter& Mechanism::c2() const {
  return parts_->c2;
}
const Exposure& Mechanism::exposure() const {
  return parts_->exposure;
}

bool Mechanism::second_is_like_first() const {
  return has_second() && same_workload(config_) && (config_.method == Method::cs || asks_the_same(config_));
}

std::size_t Mechanism::error_steps() const {
  return horizon_.is_unbounded() ? std::min(horizon_.steps(), std::size_t{1} << 20) : horizon_.steps();
}

// Running sums have two words where the rounding errors of one word would cost too much.
void Mechanism::pay_for_rounding() {
  const double shift = gdp_mu(sigma_);
  const auto distance_with = [&](SumWords words) {
    const NoiseDistance first =
        noise_distance(parts_->rounding_first, noise_scale_first(*this, calibration_), shift, words);
    if (calibration_.std_second == 0) return first;
    return joined(first, noise_distance(parts_->rounding_second, noise_scale_second(*this, calibration_),
                                        shift, words));
  };
  NoiseDistance distance = distance_with(sum_words_);
  if (distance.mu > affordable_cost * shift) {
    sum_words_ = SumWords::two;
    distance = distance_with(sum_words_);
  }
  const RoundingPayment paid = jme::pay_for_rounding(config_.budget, sigma_, distance);
  sigma_ = paid.sigma;
  mu_ = paid.mu;
  bad_past_ = paid.bad_past;
  sampler_cost_ = paid.cost;
}

Calibration Mechanism::calibrated(Geometry geometry, double sigma) const {
  const RowModel rows = row_model(geometry);
  return calibrate({.method = config_.method,
                    .sigma = sigma,
                    .rows = rows,
                    .exposure = exposure(),
                    .second = config_.second,
                    .slack = rounding_slack(config_, horizon_, lattice_of(config_, geometry)),
                    .lambda = asked_lambda(rows),
                    .alpha = config_.alpha,
                    .tau = config_.tau});
}

}  // namespace jme
