#include "sensitivity/box.hpp"

#include <cmath>

#include <jme/base/errors.hpp>

namespace jme {

double largest_diagonal_weight(double off_diagonal) {
  const double s = off_diagonal;
  if (!(s >= 0 && s <= 1)) throw InvalidParameter("off-diagonal weight", s, "in [0, 1]");
  const double a = (std::sqrt(5 - 4 * s) - 2 + s) / (1 + s);
  const double largest = ((3 - s) + (1 + s) * a) / ((1 - a) * (1 + a) * (1 + a));
  return s == 1 ? 2 : largest * (1 - 1e-12);  // a dozen roundings
}

bool are_free(const BoxWeights& weights, std::size_t dimension, Presence presence) {
  const auto& [diagonal, off_diagonal, cells, pairs, row] = weights;
  const auto d = static_cast<double>(dimension);
  for (const double weight : {diagonal, off_diagonal, cells, pairs, row}) {
    if (!(weight >= 0)) return false;
  }
  if (dimension == 1 && (off_diagonal > 0 || pairs > 0)) return false;  // there are none
  if (off_diagonal > 1 || diagonal > largest_diagonal_weight(off_diagonal)) return false;
  if (presence == Presence::complete) return true;
  if (d * (1 + diagonal + cells + (off_diagonal + pairs) / 2) + row > 4 * d) return false;
  return presence == Presence::rows || 1 + diagonal + cells + off_diagonal + pairs <= 4;
}

BoxWeights free_weights(SecondMoment second, std::size_t dimension, Presence presence) {
  const auto d = static_cast<double>(dimension);
  const bool has_pairs = second == SecondMoment::full && dimension > 1;
  BoxWeights weights;
  weights.off_diagonal = has_pairs ? 1 : 0;
  if (second != SecondMoment::none) weights.diagonal = has_pairs ? 2 : largest_diagonal_weight(0);
  switch (presence) {
    case Presence::complete:
      return weights;
    case Presence::rows:
      if (second != SecondMoment::none) weights.diagonal = 2;
      break;
    case Presence::cells:
      if (second != SecondMoment::none) weights.diagonal = has_pairs ? 1 : 2;
      weights.cells = second == SecondMoment::none ? 1.5 : 0.5;
      weights.pairs = has_pairs ? 0.5 : 0;
      break;
  }
  // Rows have what is left: a row against no row is then as far apart as two opposite rows.
  weights.row = 3 * d - d * (weights.diagonal + weights.cells + (weights.off_diagonal + weights.pairs) / 2);
  return weights;
}

}  // namespace jme
