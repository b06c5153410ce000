#include "sensitivity/joint_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

namespace jme {
namespace {

// Where a replaced scalar stops being worst at -1 and 1: (11 + 5 sqrt 5) / 8.
constexpr double scalar_kink = 2.7725424859373685;
constexpr double vector_kink = 0.5;

/// For d = 1 the worst pair beyond the kink is (1, 1 - D): D^2 (1 + nu (2 - D)^2) is stationary here.
double scalar_gap(double nu) {
  return (3 - std::sqrt(1 - 2 / nu)) / 2;
}

/// Rounds a computed upper limit down by more than its few rounding errors, so that using the limit is safe.
double rounded_down(double value) {
  return value * (1 - 8 * std::numeric_limits<double>::epsilon());
}

/// Largest nu with D^2 (1 + nu (2 - D)^2) <= rho for all D: the minimum of (rho/D^2 - 1)/(2 - D)^2 over D in
/// [1, 2). It is where D^3 - 2 rho D + 2 rho = 0; Newton from D = 1 climbs to the root because the cubic is
/// convex and falling there. An error in D enters only squared.
double inverse_scalar_gain(double rho) {
  double gap = 1;
  for (int i = 0; i < 60; ++i) {
    const double next = gap - (gap * gap * gap - 2 * rho * gap + 2 * rho) / (3 * gap * gap - 2 * rho);
    if (!(next > gap)) break;
    gap = next;
  }
  return (rho / (gap * gap) - 1) / ((2 - gap) * (2 - gap));
}

}  // namespace

double joint_gain(Adjacency adjacency, std::size_t dimension, double nu) {
  if (!(nu >= 0)) throw InvalidParameter("lambda", nu, "at least 0");
  if (adjacency == Adjacency::add_remove) return 1 + nu;
  if (dimension >= 2) return nu <= vector_kink ? 4 : 2 + 2 * nu + 1 / (2 * nu);
  if (nu <= scalar_kink) return 4;
  const double gap = scalar_gap(nu);
  return std::max(4.0, gap * gap * (1 + nu * (2 - gap) * (2 - gap)));
}

double inverse_joint_gain(Adjacency adjacency, std::size_t dimension, double rho) {
  const double least = joint_gain(adjacency, dimension, 0);
  if (!(rho >= least)) throw InvalidParameter("gain", rho, "at least the gain at nu = 0");
  if (rho == std::numeric_limits<double>::infinity()) return rho;
  if (adjacency == Adjacency::add_remove) return rho - 1;
  // At rho = 4 exactly, the kink itself is the answer, without the safety margin of the general case.
  if (dimension >= 2) {
    return rho == 4 ? vector_kink
                    : std::max(vector_kink, rounded_down((rho - 2 + std::sqrt(rho * (rho - 4))) / 4));
  }
  return rho == 4 ? scalar_kink : std::max(scalar_kink, rounded_down(inverse_scalar_gain(rho)));
}

namespace sensitivity {

double free_gain_limit(Adjacency adjacency, std::size_t dimension) {
  if (adjacency == Adjacency::add_remove) return 0;
  return dimension >= 2 ? vector_kink : scalar_kink;
}

static_assert((1 + free_trace_weight) * vector_kink <= scalar_kink);

double traced_gain(std::size_t dimension, double nu, double trace) {
  const double apart = joint_gain(Adjacency::replace_one, dimension, nu);
  return std::max(apart, joint_gain(Adjacency::replace_one, 1, (1 + trace) * nu));
}

double joint_gain_slope(Adjacency adjacency, std::size_t dimension, double nu) {
  if (adjacency == Adjacency::add_remove) return 1;
  if (nu < free_gain_limit(adjacency, dimension)) return 0;
  if (dimension >= 2) return 2 - 1 / (2 * nu * nu);
  const double gap = scalar_gap(nu);
  return gap * gap * (2 - gap) * (2 - gap);
}

double second_gain(Adjacency adjacency, std::size_t dimension) {
  return adjacency == Adjacency::replace_one && dimension >= 2 ? 2 : 1;
}

}  // namespace sensitivity
}  // namespace jme
