#include <algorithm>
#include <string>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

#include "shaping/blt.hpp"
#include "shaping/default_parameters.hpp"
#include "shaping/series.hpp"

namespace jme {
namespace {

Filter square_root_filter(const Workload& workload, const Horizon& horizon) {
  const std::size_t n = horizon.steps();
  return Filter::toeplitz(n, {.taps = shaping::root_coefficients(workload, horizon, n),
                              .modes = {},
                              .inverted = false,
                              .inverse_taps = shaping::inverse_root_coefficients(workload, horizon, n)});
}

Filter banded_filter(const Workload& workload, const Horizon& horizon, std::size_t width) {
  const std::size_t kept = std::min(width, horizon.steps());
  return Filter::toeplitz(horizon.steps(), {.taps = shaping::root_coefficients(workload, horizon, kept),
                                            .modes = {},
                                            .inverted = false,
                                            .inverse_taps = {}});
}

Filter banded_inverse_filter(const Workload& workload, const Horizon& horizon, std::size_t width) {
  const std::size_t kept = std::min(width, horizon.steps());
  return Filter::toeplitz(horizon.steps(),
                          {.taps = shaping::inverse_root_coefficients(workload, horizon, kept),
                           .modes = {},
                           .inverted = true,
                           .inverse_taps = {}});
}

Filter dense_filter(const Workload& workload, const Horizon& horizon) {
  if (horizon.steps() > Shape::max_dense_steps) {
    throw InvalidParameter("shape", "dense",
                           "used with at most " + std::to_string(Shape::max_dense_steps) +
                               " steps; scaled-blt:4 is within a fraction of a percent of it at any length");
  }
  return Filter::dense(dense_optimum(workload.filter(horizon).to_dense()).c, "shape");
}

Filter custom_filter(const Eigen::MatrixXd& matrix, const std::string& name, const Horizon& horizon) {
  Filter filter = Filter::dense(matrix, "shape");  // square, finite and lower triangular
  if (filter.steps() != horizon.steps()) {
    throw InvalidParameter("shape", name,
                           "a matrix with one row and column for each of the " +
                               std::to_string(horizon.steps()) + " steps, and it has " +
                               std::to_string(filter.steps()));
  }
  if (!filter.is_invertible()) throw InvalidParameter("shape", name, "invertible: no zero on the diagonal");
  return filter;
}

}  // namespace

Shape Shape::with_parameters(const Workload& workload, const Horizon& horizon, Objective objective) const {
  if (blt_) return *this;
  if (kind_ == Kind::blt) return blt(shaping::default_blt(workload, horizon, order_, objective));
  if (kind_ == Kind::scaled_blt) {
    Shape made = scaled_blt(
        shaping::default_scaled_blt(for_prefix_ ? prefix() : workload, horizon, order_, objective));
    made.for_prefix_ = for_prefix_;
    return made;
  }
  return *this;
}

Filter Shape::filter(const Workload& workload, const Horizon& horizon, Objective objective) const {
  if (horizon.is_unbounded() && kind_ != Kind::identity && kind_ != Kind::scaled_blt) {
    throw InvalidParameter("shape", name(), "identity, scaled-blt:P or auto with an unbounded horizon");
  }
  switch (kind_) {
    case Kind::identity:
      return Filter::identity(horizon.steps());
    case Kind::square_root:
      return square_root_filter(workload, horizon);
    case Kind::banded:
      return banded_filter(workload, horizon, order_);
    case Kind::banded_inverse:
      return banded_inverse_filter(workload, horizon, order_);
    case Kind::blt: {
      const Shape made = with_parameters(workload, horizon, objective);
      return Filter::toeplitz(horizon.steps(), shaping::blt_core(made.blt_->blt));
    }
    case Kind::scaled_blt:
      return shaping::scaled_blt_filter(horizon, *with_parameters(workload, horizon, objective).blt_);
    case Kind::dense:
      return dense_filter(workload, horizon);
    case Kind::custom:
      return custom_filter(*matrix_, name_, horizon);
    case Kind::automatic:
      break;
  }
  throw InvalidParameter("shape", "auto", "resolved by choose_shape before it becomes a filter");
}

}  // namespace jme
