#include <algorithm>
#include <cmath>

#include <jme/mechanism/moved_rows.hpp>

#include "filter/norms.hpp"

namespace jme {

double mu_of_moved_rows(const Mechanism& mechanism) {
  constexpr double up = 1 + 0x1p-48;
  // A person's rows leave one set of slots and come into another: each of the two costs mu at most.
  if (mechanism.config().participation.rows > 1) return 2 * mechanism.mu() * up;
  double h = negative_product_bound(mechanism.c1());
  if (mechanism.has_second() && !mechanism.second_is_like_first()) {
    h = std::max(h, negative_product_bound(mechanism.c2()));
  }
  return std::sqrt(2 * (1 + h)) * mechanism.mu() * up;
}

}  // namespace jme
