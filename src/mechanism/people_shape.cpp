#include "mechanism/people_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "filter/error_norm_stream.hpp"

namespace jme {

namespace {

constexpr std::size_t rows_per_row_of_a_person = 10;
/// Comparing shapes takes a few passes over all steps.
constexpr std::size_t most_compared_steps = std::size_t{1} << 20;

/// Slots of time that the rows of a person fill at most, where ids limit them in each window; else one slot
/// may hold all of them.
std::size_t slots_of_person(const Participation& participation) {
  const std::optional<RowWindows>& windows = participation.windows;
  if (!windows || windows->are_units) return 1;
  return std::min(windows->count, 1 + (participation.rows - 1) / windows->rows);
}

}  // namespace

bool rows_fill_several_steps(const Workload& workload, const Horizon& horizon,
                             const Participation& participation) {
  const bool grows = workload.kind() == Workload::Kind::mean || workload.kind() == Workload::Kind::prefix;
  if (!grows || horizon.is_unbounded() || horizon.steps() > most_compared_steps) return false;
  if (horizon.has_slots()) return slots_of_person(participation) > 1;
  const std::optional<std::size_t> in_step = horizon.most_rows_in_step();
  return participation.separation == 1 && in_step && rows_that_fit(horizon, participation) > *in_step;
}

std::size_t first_judged_step(const Horizon& horizon, const Participation& participation) {
  const std::size_t last = horizon.steps() - 1, every = horizon.every();
  // Slots count as if one row came in each.
  const std::size_t rows =
      horizon.has_slots() ? slots_of_person(participation) : rows_that_fit(horizon, participation);
  if (rows > horizon.rows() / rows_per_row_of_a_person) return last;
  return std::min(last, (rows_per_row_of_a_person * rows - 1) / every);
}

double judged_row_norm(const Filter& workload, const Filter& shape, const Horizon& horizon,
                       const Participation& participation, Objective objective) {
  const std::size_t first = first_judged_step(horizon, participation), steps = horizon.steps();
  std::vector<double> norms(steps);
  ErrorNormStream(workload, shape).next(norms);
  double sum = 0, largest = 0;
  for (std::size_t t = first; t < steps; ++t) {
    sum += norms[t];
    largest = std::max(largest, norms[t]);
  }
  return objective == Objective::max ? largest : sum / static_cast<double>(steps - first);
}

Shape choose_people_shape(const Workload& workload, const Horizon& horizon, Objective objective,
                          const StateLimit& limit, const Participation& participation) {
  constexpr std::size_t buffers = 4;
  std::vector<Shape> shapes{Shape::identity()};
  if (limit.vectors > 0) {
    const std::size_t fit = std::min(buffers, limit.vectors);
    shapes.push_back(Shape::scaled_blt(fit));
    shapes.push_back(Shape::blt(fit));
    if (workload.kind() != Workload::Kind::prefix) shapes.push_back(Shape::scaled_blt_for_prefix(fit));
  }
  if (horizon.steps() <= limit.vectors) shapes.push_back(Shape::square_root());
  const Filter a = workload.filter(horizon);
  std::optional<Shape> best;
  double least = std::numeric_limits<double>::infinity();
  for (Shape& shape : shapes) {
    const Filter c = shape.filter(workload, horizon, objective);
    if (!limit.admits(c)) continue;
    const double moved = first_column_norm(exposure(c, c, horizon, participation));
    const double value = moved * std::sqrt(judged_row_norm(a, c, horizon, participation, objective));
    if (best && value >= least) continue;
    best = std::move(shape);
    least = value;
  }
  return std::move(*best);  // the identity has no state and always takes part
}

}  // namespace jme
