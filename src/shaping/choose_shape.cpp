#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/norms.hpp"
#include "shaping/default_parameters.hpp"
#include "shaping/series.hpp"

namespace jme {
namespace {

constexpr std::size_t longest_history = 4096;  ///< steps up to which a state of n vectors is worth comparing

/// Buffers beyond which a scaled BLT gains less than 0.1% at this length
/// (docs/theory/shaping.md#how-good-each-class-is).
std::size_t useful_buffers(std::size_t steps) {
  if (steps <= 4096) return 4;
  return steps <= 1'000'000 ? 5 : 6;
}

/// The same for a BLT under a window with lag taps, whose memory is as long as the window.
std::size_t window_buffers(std::size_t window) {
  if (window <= 100) return 3;
  return window <= 4096 ? 4 : 5;
}

double value_of(const ShapeQuality& quality, Objective objective) {
  return objective == Objective::rmse ? quality.rmse : quality.max;
}

/// A few shapes, one of which is the best: comparing them costs a few passes over the steps.
std::vector<Shape> contenders(const Workload& workload, const Horizon& horizon, const StateLimit& limit) {
  std::vector<Shape> shapes{Shape::identity()};
  const std::size_t n = horizon.steps();
  const auto kind = workload.kind();
  if (kind != Workload::Kind::custom && limit.vectors > 0) {
    const std::size_t buffers = std::min(limit.vectors, useful_buffers(n));
    shapes.push_back(Shape::scaled_blt(buffers));
    if (kind == Workload::Kind::window) {
      shapes.push_back(Shape::banded(std::min<std::size_t>(limit.vectors, 31) + 1));
      shapes.push_back(Shape::blt(buffers));
    }
  }
  if (n <= std::min(limit.vectors, longest_history)) {
    if (kind != Workload::Kind::custom) shapes.push_back(Shape::square_root());
    if (n <= 256) shapes.push_back(Shape::dense());
  }
  return shapes;
}

/// Below this decay per step the best shape gains less than the tie of 1e-5 over the identity: identity over
/// optimum is (1 - beta^2)^(-1/2) / ((2/pi) K(beta)) = 1 + beta^2 / 4 + ..., at any length.
constexpr double least_useful_decay = 0.0063;

/// Over a long horizon a scaled BLT beats every shape of as little state, unless there is nothing to gain.
std::optional<Shape> known_choice(const Workload& workload, const Horizon& horizon, Objective objective,
                                  const StateLimit& limit) {
  constexpr std::size_t shortest = 256;
  const std::size_t n = horizon.steps();
  const bool compares_history = n <= std::min(limit.vectors, longest_history);
  if (n < shortest || compares_history) return std::nullopt;
  switch (workload.kind()) {
    case Workload::Kind::mean:
      // For means the largest error is that of the first release, whatever the shape: 1 for the identity,
      // more for others.
      if (objective == Objective::max) return Shape::identity();
      break;
    case Workload::Kind::decay:
      if (shaping::decay_per_step(workload, horizon) < least_useful_decay) return Shape::identity();
      break;
    case Workload::Kind::window: {
      // For very short windows a band that holds the window is as good; from two buffers on no other shape
      // is.
      const std::size_t window = shaping::steps_in_window(workload, horizon);
      if (limit.vectors < 2 || window < 4) return std::nullopt;
      const std::size_t buffers = std::min(limit.vectors, window_buffers(window));
      // The lag taps reach back three windows.
      if (buffers + 3 * window <= limit.with_lags) return Shape::scaled_blt(buffers);
      return window <= limit.vectors ? Shape::banded(limit.vectors + 1) : Shape::blt(buffers);
    }
    case Workload::Kind::prefix:
      break;
    case Workload::Kind::custom:
      return std::nullopt;
  }
  if (limit.vectors == 0) return Shape::identity();
  return Shape::scaled_blt(std::min(limit.vectors, useful_buffers(n)));
}

Shape unbounded_choice(const Workload& workload, const Horizon& horizon, std::size_t max_state_vectors) {
  switch (workload.kind()) {
    case Workload::Kind::mean:
      return max_state_vectors == 0 ? Shape::identity()
                                    : Shape::scaled_blt(std::min<std::size_t>(max_state_vectors, 4));
    case Workload::Kind::prefix:
      return max_state_vectors == 0 ? Shape::identity()
                                    : Shape::scaled_blt(std::min<std::size_t>(max_state_vectors, 5));
    case Workload::Kind::decay: {
      const std::size_t buffers = shaping::endless_decay_buffers(workload, horizon, max_state_vectors);
      return buffers == 0 ? Shape::identity() : Shape::scaled_blt(buffers);
    }
    case Workload::Kind::window:
    case Workload::Kind::custom:
      break;
  }
  throw InvalidParameter("workload", workload.name(),
                         "prefix, mean or decay with an unbounded horizon (or name the shape identity)");
}

}  // namespace

ShapeQuality shape_quality(const Filter& workload, const Filter& shape, std::size_t steps) {
  const double column_norm = std::sqrt(largest_squared_column_norm(shape));
  const ErrorNormTotals rows = error_norm_totals(workload, shape, steps);
  const auto counted = static_cast<double>(std::min(steps, workload.steps()));
  return {.rmse = column_norm * std::sqrt(rows.sum / counted),
          .max = column_norm * std::sqrt(rows.largest),
          .column_norm = column_norm,
          .state_vectors = shape.inverse_state_vectors()};
}

StateLimit state_limit(std::optional<std::size_t> asked, std::size_t width) {
  if (asked) return {.vectors = *asked, .with_lags = *asked};
  constexpr std::size_t bytes = std::size_t{256} << 20;
  constexpr std::size_t least = StateLimit{}.vectors;
  return {.vectors = least,
          .with_lags = std::max(least, bytes / (sizeof(double) * std::max<std::size_t>(width, 1)))};
}

Shape choose_shape(const Workload& workload, const Horizon& horizon, Objective objective,
                   const StateLimit& limit) {
  if (horizon.is_unbounded()) return unbounded_choice(workload, horizon, limit.vectors);
  if (const std::optional<Shape> known = known_choice(workload, horizon, objective, limit)) {
    return *known;
  }
  constexpr double tie = 1e-5;
  const Filter a = workload.filter(horizon);
  struct Best {
    Shape shape;
    double value;
    std::size_t state_vectors;
  };
  std::optional<Best> best;
  for (Shape& shape : contenders(workload, horizon, limit)) {
    const Filter filter = shape.filter(workload, horizon, objective);
    if (!limit.admits(filter)) continue;
    const ShapeQuality quality = shape_quality(a, filter);
    const double value = value_of(quality, objective);
    const bool less_state = best && quality.state_vectors < best->state_vectors;
    if (!best || value < best->value * (1 - tie) || (less_state && value < best->value * (1 + tie))) {
      best = Best{.shape = std::move(shape), .value = value, .state_vectors = quality.state_vectors};
    }
  }
  return std::move(best->shape);  // identity has no state and always takes part
}

std::vector<Shape> candidate_shapes(const Workload& workload, const Horizon& horizon) {
  const std::size_t n = horizon.steps();
  std::vector<Shape> shapes{Shape::identity()};
  if (horizon.is_unbounded()) {
    if (workload.kind() != Workload::Kind::window && workload.kind() != Workload::Kind::custom) {
      for (const std::size_t buffers : {2ul, 4ul, 5ul}) shapes.push_back(Shape::scaled_blt(buffers));
    }
    return shapes;
  }
  if (workload.kind() != Workload::Kind::custom) {
    if (n <= longest_history) shapes.push_back(Shape::square_root());
    shapes.push_back(Shape::banded(16));
    shapes.push_back(Shape::banded_inverse(4));
    shapes.push_back(Shape::blt(4));
    shapes.push_back(Shape::scaled_blt(2));
    shapes.push_back(Shape::scaled_blt(4));
    if (workload.kind() != Workload::Kind::window && useful_buffers(n) > 4) {
      shapes.push_back(Shape::scaled_blt(useful_buffers(n)));
    }
  }
  if (n <= 256) shapes.push_back(Shape::dense());
  return shapes;
}

}  // namespace jme
