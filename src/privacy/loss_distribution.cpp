#include "privacy/loss_distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace jme::privacy {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
// Below it lies less than 1e-23 of either component of P; that much is moved up into the first cell.
constexpr double first_position = -10;

struct CellMasses {
  double all = 0;     // P of the cell
  double excess = 0;  // P - e^lower Q of the cell
};

/// Four Gauss-Legendre points on pieces so short that the remainder is below 2^-60 of the cell: the
/// integrands are sums of two normal densities, whose eighth derivative is at most (3 + |x| + shift)^8 times
/// themselves up to a small factor, and (1/20)^8 (4!)^4 / (9 (8!)^3) < 2^-60.
CellMasses integrate(const LossPair& pair, double left, double right, double lower, double width) {
  constexpr std::array<double, 2> nodes{0.33998104358485626, 0.86113631159405258};
  constexpr std::array<double, 2> weights{0.65214515486254614, 0.34785484513745386};
  const double scale = 3 + std::max(std::abs(left), std::abs(right)) + pair.shift();
  const auto pieces = static_cast<std::size_t>(std::ceil((right - left) * scale * 20));
  const double half = (right - left) / 2 / static_cast<double>(pieces);
  CellMasses cell;
  for (std::size_t k = 0; k < pieces; ++k) {
    const double middle = left + half * static_cast<double>(2 * k + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const double side : {-1.0, 1.0}) {
        const double x = middle + side * half * nodes[i];
        const double mass = half * weights[i] * pair.density(x);
        // It is outside the cell's losses only by rounding, which loss_error covers.
        const double above = std::clamp(pair.loss(x) - lower, 0.0, width);
        cell.all += mass;
        cell.excess -= mass * std::expm1(-above);
      }
    }
  }
  return cell;
}

/// 0, 1, 2, ..., then in steps of 1/resolution of themselves, up to the first one >= last.
std::vector<std::int64_t> ladder(std::int64_t last, double resolution) {
  std::vector<std::int64_t> rungs{0};
  while (rungs.back() < last) {
    const auto step = static_cast<std::int64_t>(static_cast<double>(rungs.back()) / resolution);
    rungs.push_back(rungs.back() + std::max<std::int64_t>(1, step));
  }
  return rungs;
}

/// From at most `first` to at least `last`, every whole number near `centre`.
std::vector<std::int64_t> rungs_between(std::int64_t first, std::int64_t last, std::int64_t centre,
                                        double resolution) {
  std::vector<std::int64_t> rungs;
  const auto down = ladder(centre - first, resolution);
  for (auto it = down.rbegin(); it != down.rend(); ++it) rungs.push_back(centre - *it);
  const auto up = ladder(last - centre, resolution);
  for (auto it = up.begin() + 1; it != up.end(); ++it) rungs.push_back(centre + *it);
  return rungs;
}

}  // namespace

LossDistribution discretise(const LossPair& pair, const Grid& grid) {
  const double spacing = grid.spacing, last = grid.last;
  const auto multiple = [&](double loss) { return static_cast<std::int64_t>(std::floor(loss / spacing)); };
  const std::int64_t first_multiple = multiple(pair.loss(first_position));
  const std::int64_t last_multiple = std::max(first_multiple, multiple(pair.loss(last))) + 1;
  const std::int64_t centre = std::clamp(multiple(grid.centre), first_multiple, last_multiple);
  LossDistribution result{.spacing = spacing,
                          .multiples = rungs_between(first_multiple, last_multiple, centre, grid.resolution)};
  result.masses.assign(result.multiples.size(), 0.0);

  const auto bounded_position = [&](std::int64_t rung) {
    return std::clamp(pair.position(spacing * static_cast<double>(rung)), first_position, last);
  };
  double left = first_position;
  double moved_up = std::erfc(-first_position / std::numbers::sqrt2) / 2 * (1 + 1000 * unit);
  for (std::size_t i = 0; i + 1 < result.multiples.size(); ++i) {
    const double lower = spacing * static_cast<double>(result.multiples[i]);
    const double width = spacing * static_cast<double>(result.multiples[i + 1] - result.multiples[i]);
    const double right = bounded_position(result.multiples[i + 1]);
    if (!(right > left)) continue;
    const CellMasses cell = integrate(pair, left, right, lower, width);
    const double furthest = std::max(std::abs(left), std::abs(right));
    const double loss_error =
        std::max(pair.loss_error(left), pair.loss_error(right)) +
        std::max(pair.position_error(lower, left), pair.position_error(lower + width, right));
    result.loss_error = std::max(result.loss_error, loss_error);
    // Rounding of the densities: the exponent x^2/2 is good to its own units.
    const double rounding = 1 + unit * (16 + 2 * (furthest + pair.shift()) * (furthest + pair.shift()));
    const double all = cell.all * rounding;
    // Mass at the wrong end of a cell is as bad as a wrong loss: towards the upper end is safe.
    const double excess = cell.excess * rounding + all * (loss_error + 0x1p-59);
    const double upper_share = std::min(all, excess / -std::expm1(-width) * (1 + 16 * unit));
    result.masses[i] += all - upper_share;
    result.masses[i + 1] += upper_share + moved_up;
    moved_up = 0;
    left = right;
  }
  result.infinite = pair.tail(left);
  return result;
}

LossDistribution discretise(const EpochLaw& law, double spacing) {
  std::vector<EpochLaw::Atom> atoms = law.atoms;
  std::sort(atoms.begin(), atoms.end(), [](const auto& a, const auto& b) { return a.loss < b.loss; });
  LossDistribution result{.spacing = spacing, .infinite = law.infinite};
  const auto add = [&](std::int64_t multiple, double mass) {
    const std::size_t size = result.multiples.size();
    if (size > 0 && result.multiples[size - 1] == multiple) {
      result.masses[size - 1] += mass;
    } else if (size > 1 && result.multiples[size - 2] == multiple) {
      result.masses[size - 2] += mass;
    } else {
      result.multiples.push_back(multiple);
      result.masses.push_back(mass);
    }
  };
  for (const EpochLaw::Atom& atom : atoms) {
    const double place = std::floor(atom.loss / spacing);
    // Kept between the ends where rounding moved the floor.
    const double above = std::clamp(atom.loss - place * spacing, 0.0, spacing);
    const double upper = std::min(1.0, std::expm1(-above) / std::expm1(-spacing) * (1 + 8 * unit));
    const auto multiple = static_cast<std::int64_t>(place);
    add(multiple, atom.mass * (1 - upper));
    add(multiple + 1, atom.mass * upper);
    // The logarithm, the product, and the share, as an error of the loss.
    result.loss_error = std::max(result.loss_error, 16 * unit * (1 + std::abs(atom.loss)));
  }
  return result;
}

}  // namespace jme::privacy
