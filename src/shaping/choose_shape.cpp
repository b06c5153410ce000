#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/norms.hpp>
#include <jme/shaping/shape.hpp>

namespace jme {
namespace {

constexpr std::size_t longest_history = 4096;  ///< steps up to which a state of n vectors is worth comparing

/// Buffers beyond which a scaled BLT gains less than 0.1% at this length (SHAPING's table and its
/// continuation).
std::size_t useful_buffers(std::size_t steps) {
  if (steps <= 4096) return 4;
  return steps <= 1'000'000 ? 5 : 6;
}

double value_of(const ShapeQuality& quality, Objective objective) {
  return objective == Objective::rmse ? quality.rmse : quality.max;
}

/// The few shapes one of which is best: comparing them costs a few passes over the steps.
std::vector<Shape> contenders(const Workload& workload, const Horizon& horizon,
                              std::size_t max_state_vectors) {
  std::vector<Shape> shapes{Shape::identity()};
  const std::size_t n = horizon.steps();
  const auto kind = workload.kind();
  if (kind != Workload::Kind::custom && max_state_vectors > 0) {
    const std::size_t buffers = std::min(max_state_vectors, useful_buffers(n));
    if (kind == Workload::Kind::window) {
      shapes.push_back(Shape::blt(buffers));
      shapes.push_back(Shape::banded(std::min<std::size_t>(max_state_vectors, 31) + 1));
    } else {
      shapes.push_back(Shape::scaled_blt(buffers));
    }
  }
  if (n <= std::min(max_state_vectors, longest_history)) {
    if (kind != Workload::Kind::custom) shapes.push_back(Shape::square_root());
    if (n <= 256) shapes.push_back(Shape::dense());
  }
  return shapes;
}

}  // namespace

ShapeQuality shape_quality(const Filter& workload, const Filter& shape) {
  const std::vector<double> columns = squared_column_norms(shape);
  const std::vector<double> rows = squared_error_row_norms(workload, shape);
  const double column_norm = std::sqrt(*std::max_element(columns.begin(), columns.end()));
  const double mean_error = std::accumulate(rows.begin(), rows.end(), 0.0) / static_cast<double>(rows.size());
  return {.rmse = column_norm * std::sqrt(mean_error),
          .max = column_norm * std::sqrt(*std::max_element(rows.begin(), rows.end())),
          .column_norm = column_norm,
          .state_vectors = shape.inverse_state_vectors()};
}

ShapeChoice choose_shape(const Workload& workload, const Horizon& horizon, Objective objective,
                         std::size_t max_state_vectors) {
  constexpr double tie = 1e-5;
  const Filter a = workload.filter(horizon);
  std::optional<ShapeChoice> best;
  for (Shape& shape : contenders(workload, horizon, max_state_vectors)) {
    Filter filter = shape.filter(workload, horizon, objective);
    if (filter.inverse_state_vectors() > max_state_vectors) continue;
    const ShapeQuality quality = shape_quality(a, filter);
    const double value = value_of(quality, objective);
    const double incumbent = best ? value_of(best->quality, objective) : 0;
    const bool less_state = best && quality.state_vectors < best->quality.state_vectors;
    if (!best || value < incumbent * (1 - tie) || (less_state && value < incumbent * (1 + tie))) {
      best = ShapeChoice{.shape = std::move(shape), .filter = std::move(filter), .quality = quality};
    }
  }
  return std::move(*best);  // identity has no state and always takes part
}

std::vector<Shape> candidate_shapes(const Workload& workload, const Horizon& horizon) {
  const std::size_t n = horizon.steps();
  std::vector<Shape> shapes{Shape::identity()};
  if (workload.kind() != Workload::Kind::custom) {
    if (n <= longest_history) shapes.push_back(Shape::square_root());
    shapes.push_back(Shape::banded(16));
    shapes.push_back(Shape::banded_inverse(4));
    shapes.push_back(Shape::blt(4));
    if (workload.kind() != Workload::Kind::window) {
      shapes.push_back(Shape::scaled_blt(2));
      shapes.push_back(Shape::scaled_blt(4));
      if (useful_buffers(n) > 4) shapes.push_back(Shape::scaled_blt(useful_buffers(n)));
    }
  }
  if (n <= 256) shapes.push_back(Shape::dense());
  return shapes;
}

}  // namespace jme
