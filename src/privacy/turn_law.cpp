#include "privacy/turn_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace jme::privacy {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

double normal_tail(double x) {
  return std::erfc(x / std::numbers::sqrt2) / 2;
}

/// exp, erfc and a handful of operations; the exponent x^2/2 is good to its own units.
double rounding_at(double x) {
  return unit * (16 + 2 * x * x);
}

}  // namespace

TurnLaw::TurnLaw(double sigma, Direction direction) : shift_(1 / sigma), direction_(direction) {}

double TurnLaw::position(double ratio) const {
  return std::log(ratio) / shift_ + shift_ / 2;
}

double TurnLaw::above(double ratio) const {
  const double x = position(ratio);
  return normal_tail(x) * (1 + rounding_at(x));
}

double TurnLaw::above_with_row(double ratio) const {
  const double x = position(ratio) - shift_;
  return normal_tail(x) * (1 + rounding_at(std::abs(x) + shift_));
}

double TurnLaw::below(double ratio) const {
  const double x = position(ratio);
  return normal_tail(-x) * (1 + rounding_at(x));
}

double TurnLaw::below_with_row(double ratio) const {
  const double x = position(ratio) - shift_;
  return normal_tail(-x) * (1 + rounding_at(std::abs(x) + shift_));
}

double TurnLaw::rarely_above(double mass) const {
  double z = 0;
  while (normal_tail(z) > mass && z < 38) z += 1.0 / 16;
  return std::exp2(std::ceil((shift_ * (z + shift_ / 2)) / std::numbers::ln2));
}

TurnLaw::Cell TurnLaw::lowest_cell(double spacing) const {
  const double x = position(spacing);
  const double mass = normal_tail(-x), with_row = normal_tail(shift_ - x);
  return {.mass = mass * (1 + rounding_at(x)), .upper = with_row / spacing};
}

TurnLaw::Cell TurnLaw::cell(double lower, double upper) const {
  // Four Gauss-Legendre points on pieces so short that the remainder is below 2^-60 of the cell, as in
  // loss_distribution.cpp: the integrands are a normal density times 1 or e^(a x).
  constexpr std::array<double, 2> nodes{0.33998104358485626, 0.86113631159405258};
  constexpr std::array<double, 2> weights{0.65214515486254614, 0.34785484513745386};
  const double left = position(lower), right = position(upper);
  const double furthest = std::max(std::abs(left), std::abs(right));
  const double scale = 3 + furthest + shift_;
  const double pieces = std::ceil((right - left) * scale * 20);
  const double half = (right - left) / 2 / pieces;
  Cell result{.mass = 0, .upper = 0};
  for (double k = 0; k < pieces; ++k) {
    const double middle = left + half * (2 * k + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const double side : {-1.0, 1.0}) {
        const double x = middle + side * half * nodes[i];
        const double mass = half * weights[i] * std::exp(-x * x / 2);
        result.mass += mass;
        // (w - lower)/(upper - lower), outside of [0, 1] only by rounding.
        const double share = lower * std::expm1(shift_ * (x - left)) / (upper - lower);
        result.upper += mass * std::clamp(share, 0.0, 1.0);
      }
    }
  }
  const double density = 1 / std::sqrt(2 * std::numbers::pi);
  result.mass *= density * (1 + rounding_at(furthest));
  result.upper *= density;
  return result;
}

LatticeMasses TurnLaw::between(double from, double to, double spacing) const {
  LatticeMasses result{.spacing = spacing};
  const auto first = static_cast<std::size_t>(from / spacing), last = static_cast<std::size_t>(to / spacing);
  result.masses.assign(last + 1, 0.0);
  for (std::size_t k = first; k < last; ++k) {
    const double lower = spacing * static_cast<double>(k), upper = spacing * static_cast<double>(k + 1);
    const Cell cell = k == 0 ? lowest_cell(spacing) : this->cell(lower, upper);
    // The edges' positions are off by a few units of themselves, which moves w by shift times that; a cell is
    // lower/k wide.
    const double furthest =
        std::max({1.0, std::abs(position(upper)), k == 0 ? 1.0 : std::abs(position(lower))});
    const double moved =
        8 * unit * (1 + static_cast<double>(k)) * (4 + shift_ * (furthest + shift_)) + rounding_at(furthest);
    const bool up = direction_ == Direction::remove;
    const double share = up ? cell.upper * (1 + 8 * unit) + cell.mass * moved
                            : cell.upper * (1 - 8 * unit) - cell.mass * moved;
    const double above = std::clamp(share, 0.0, cell.mass);
    result.masses[k] += cell.mass - above;
    result.masses[k + 1] += above;
  }
  return result;
}

}  // namespace jme::privacy
