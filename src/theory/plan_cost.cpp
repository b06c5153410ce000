#include <algorithm>
#include <cmath>

#include <jme/calibration/method.hpp>
#include <jme/theory/plan_cost.hpp>

namespace jme {

namespace {

// Measured on one core of an AMD EPYC (Zen 5), and between once and twice what was measured.
constexpr double seconds_of_cubed_step = 8e-9;                 // dense: some twenty eigenvalue problems
constexpr double bytes_of_squared_step = 10 * sizeof(double);  // matrices that it holds at a time
constexpr double seconds_of_step = 2e-7;                       // filters, norms and errors
constexpr double seconds_of_pair_of_steps = 3e-8;  // products of all columns, where a person has several rows
constexpr double seconds_of_row_of_person = 4e-5;  // one lag of those products, over a long horizon
constexpr double seconds_of_compared_step = 3e-7;  // a shape that is compared for people
constexpr double bytes_of_row_of_person = 500;
constexpr std::size_t most_paired_steps = 4096;  // beyond this only bounds of products are computed
constexpr std::size_t most_dense_auto = 256;     // `auto` tries no dense shape beyond this
constexpr std::size_t most_compared_steps = std::size_t{1}
                                            << 20;  // people_shape.cpp compares none beyond this
constexpr double compared_shapes = 5;

bool may_be_dense(const Shape& shape, std::size_t steps) {
  return shape.kind() == Shape::Kind::dense ||
         (shape.kind() == Shape::Kind::automatic && steps <= most_dense_auto);
}

/// Recursions need a few numbers, however many steps there are; other shapes have a coefficient for each.
double bytes_of_step(const StreamConfig& config) {
  switch (config.shape.kind()) {
    case Shape::Kind::square_root:
      return 120;
    case Shape::Kind::banded:
    case Shape::Kind::banded_inverse:
    case Shape::Kind::custom:
      return 60;
    default:
      return config.workload.kind() == Workload::Kind::window ? 60 : 8;
  }
}

/// Steps in which rows of one person can be.
double steps_of_person(const StreamConfig& config, std::size_t steps) {
  const Participation& rows = config.participation;
  const std::size_t windows = rows.windows ? rows.windows->count : 1;
  return static_cast<double>(std::min(steps, std::max(rows.rows, windows)));
}

/// What several rows of one person add, which may be in different steps.
PlanCost cost_of_person(const StreamConfig& config, std::size_t steps) {
  const double of_person = steps_of_person(config, steps);
  if (of_person <= 1) return {.seconds = 0, .bytes = 0};
  const auto n = static_cast<double>(steps);
  const bool compares = config.shape.kind() == Shape::Kind::automatic && steps <= most_compared_steps;
  const double shapes = compares ? compared_shapes : 1;
  PlanCost cost{.seconds = shapes * seconds_of_row_of_person * of_person,
                .bytes = bytes_of_row_of_person * of_person};
  if (compares) cost.seconds += shapes * seconds_of_compared_step * n;
  if (steps <= most_paired_steps) cost.seconds += seconds_of_pair_of_steps * n * n;
  return cost;
}

}  // namespace

PlanCost plan_cost(const StreamConfig& config) {
  const Horizon asked = horizon_of(config);
  const Horizon horizon = squares_noisy_rows(config.method) ? asked.by_row() : asked;
  const std::size_t steps = horizon.is_unbounded() ? std::size_t{1} << 20 : horizon.steps();
  const auto n = static_cast<double>(steps);
  PlanCost cost{.seconds = 0.01 + seconds_of_step * n, .bytes = bytes_of_step(config) * n};
  const Shape& second = config.shape_second ? *config.shape_second : config.shape;
  const bool other_second =
      config.second != SecondMoment::none && (config.shape_second || config.workload_second);
  const int dense = int{may_be_dense(config.shape, steps)} + int{other_second && may_be_dense(second, steps)};
  if (dense > 0) {
    cost.seconds += dense * seconds_of_cubed_step * n * n * n;
    cost.bytes += bytes_of_squared_step * n * n;
  }
  const PlanCost person = cost_of_person(config, steps);
  return {.seconds = cost.seconds + person.seconds, .bytes = cost.bytes + person.bytes};
}

}  // namespace jme
