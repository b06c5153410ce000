#include "shaping/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include <jme/base/cancellation.hpp>

namespace jme::shaping {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector moved(const Vector& x, double length, const Vector& direction) {
  Vector result(x);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += length * direction[i];
  return result;
}

double largest(const Vector& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

struct Point {
  Vector x, gradient;
  double value;
};

/// The last few (step, change of gradient) pairs; they approximate the inverse Hessian.
class Curvature {
 public:
  void add(Vector step, Vector change) {
    const double product = dot(step, change);
    if (!(product > 1e-22 * dot(change, change))) return;  // no positive curvature seen
    if (pairs_.size() == 16) pairs_.pop_front();
    pairs_.push_back({.step = std::move(step), .change = std::move(change), .product = product});
  }
  void clear() { pairs_.clear(); }
  [[nodiscard]] bool empty() const { return pairs_.empty(); }

  /// -H gradient by the two-loop recursion.
  [[nodiscard]] Vector direction(const Vector& gradient) const {
    Vector d(gradient);
    std::vector<double> weights(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      weights[i] = dot(pairs_[i].step, d) / pairs_[i].product;
      d = moved(d, -weights[i], pairs_[i].change);
    }
    const double scale = pairs_.empty()
                             ? 1 / std::max(1.0, std::sqrt(dot(d, d)))
                             : pairs_.back().product / dot(pairs_.back().change, pairs_.back().change);
    for (double& value : d) value *= -scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double back = dot(pairs_[i].change, d) / pairs_[i].product;
      d = moved(d, -weights[i] - back, pairs_[i].step);
    }
    return d;
  }

 private:
  struct Pair {
    Vector step, change;
    double product;
  };
  std::deque<Pair> pairs_;
};

/// A point along `direction` with sufficient decrease and less slope; `from` itself where none is found.
Point search(const Differentiable& function, const Point& from, const Vector& direction) {
  constexpr double decrease = 1e-4, less_slope = 0.9;
  const double slope = dot(from.gradient, direction);
  double low = 0, high = std::numeric_limits<double>::infinity(), length = 1;
  Point best = from;
  for (int trial = 0; trial < 40; ++trial) {
    Point point{.x = moved(from.x, length, direction), .gradient = Vector(from.x.size()), .value = 0};
    point.value = function(point.x, point.gradient);
    if (!(point.value <= from.value + decrease * length * slope)) {  // also catches NaN
      high = length;
    } else {
      if (point.value < best.value) best = point;
      if (dot(point.gradient, direction) >= less_slope * slope) return point;
      low = length;
    }
    length = std::isinf(high) ? 2 * low : (low + high) / 2;
  }
  return best;
}

}  // namespace

Minimum minimise(const Differentiable& function, std::vector<double> start, const LbfgsOptions& options) {
  Point point{.x = std::move(start), .gradient = {}, .value = 0};
  point.gradient.resize(point.x.size());
  point.value = function(point.x, point.gradient);
  Curvature curvature;
  double checkpoint = point.value;
  std::size_t iteration = 0;
  for (; iteration < options.max_iterations && largest(point.gradient) > options.gradient_tolerance;
       ++iteration) {
    check_cancelled();
    if (iteration % 10 == 9) {
      if (checkpoint - point.value < options.value_tolerance) break;
      checkpoint = point.value;
    }
    Vector direction = curvature.direction(point.gradient);
    if (!(dot(direction, point.gradient) < 0)) {
      curvature.clear();
      direction = curvature.direction(point.gradient);
    }
    Point next = search(function, point, direction);
    if (!(next.value < point.value)) {
      if (curvature.empty()) break;
      curvature.clear();  // once more along the plain gradient
      continue;
    }
    curvature.add(moved(next.x, -1, point.x), moved(next.gradient, -1, point.gradient));
    point = std::move(next);
  }
  return {.x = std::move(point.x), .value = point.value, .iterations = iteration};
}

Differentiable by_differences(std::function<double(std::span<const double>)> function, double step) {
  return [function = std::move(function), step](std::span<const double> x, std::span<double> gradient) {
    Vector probe(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      probe[i] = x[i] + step;
      const double above = function(probe);
      probe[i] = x[i] - step;
      gradient[i] = (above - function(probe)) / (2 * step);
      probe[i] = x[i];
    }
    return function(x);
  };
}

}  // namespace jme::shaping
