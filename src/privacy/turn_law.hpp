#pragma once

#include <cstddef>
#include <vector>

#include "privacy/loss_pair.hpp"

namespace jme::privacy {

/// Masses on the multiples of `spacing`, from 0 on.
struct LatticeMasses {
  double spacing = 0;
  std::vector<double> masses{};
};

/// The likelihood ratio w = e^(a x - a^2/2), a = 1/sigma, of one turn under x ~ N(0, 1), the law without the
/// row: a mean-preserving spread of it onto a lattice. Rounding errors are on the safe side of a direction:
/// masses are too large, and lie too far up where the row is removed, too far down where it is added.
class TurnLaw {
 public:
  TurnLaw(double sigma, Direction direction);

  /// The part of w between `from` and `to`, multiples of the spacing.
  [[nodiscard]] LatticeMasses between(double from, double to, double spacing) const;
  /// P(w > ratio) without the row, and with it.
  [[nodiscard]] double above(double ratio) const;
  [[nodiscard]] double above_with_row(double ratio) const;
  /// P(w <= ratio), likewise.
  [[nodiscard]] double below(double ratio) const;
  [[nodiscard]] double below_with_row(double ratio) const;
  /// A ratio with P(w > ratio) with the row at most `mass`: a power of two.
  [[nodiscard]] double rarely_above(double mass) const;

 private:
  struct Cell {
    double mass, upper;  // of it, what goes to the upper end
  };
  [[nodiscard]] double position(double ratio) const;
  [[nodiscard]] Cell lowest_cell(double spacing) const;
  [[nodiscard]] Cell cell(double lower, double upper) const;
  double shift_;  // a
  Direction direction_;
};

}  // namespace jme::privacy
