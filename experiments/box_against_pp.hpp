#pragma once

#include <cstddef>

#include "experiments/figure.hpp"

namespace jme::experiments {

/// Where JME and debiased PP have the same error, by the number of columns. Where JME is better at every
/// sigma there is no point.
struct BoxCrossings {
  Chart chart;
  Table table;
  // Up to this number of columns JME is better at every sigma.
  std::size_t always_in_ball = 0, always_in_box = 0;
  double highest = 0;           ///< sigma of equal error in the box, over all numbers of columns; 0: nowhere
  bool diagonal_always = true;  ///< the diagonal alone in the box: better at every sigma and d
  double diagonal_share = 0;    ///< and its squared error is at most this part of PP's
};
[[nodiscard]] BoxCrossings box_crossings();

/// What they say about PP.
void add_pp_claims(Figure& figure, const BoxCrossings& crossings);

}  // namespace jme::experiments
