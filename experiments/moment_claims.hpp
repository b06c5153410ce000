#pragma once

#include <string>
#include <vector>

#include "experiments/moment_panel.hpp"

namespace jme::experiments {

/// The same panel without shaping and with the square root.
struct ShapePair {
  std::string subject;  ///< "d = 1", "decay 0.9"
  MomentPanel identity, square_root;
};

/// What holds for all figures of this kind: how errors are counted and where PP's curve comes from.
[[nodiscard]] std::vector<std::string> moment_figure_notes();

/// JME is below PP and debiased PP at every sigma of all these panels.
[[nodiscard]] Claim always_better(std::string statement, const std::vector<const MomentPanel*>& panels);
/// JME is below debiased PP for all sigma from `least` on, by the paper's count.
[[nodiscard]] Claim better_above(std::string statement, const MomentPanel& panel, double least);
/// "The square root improves both methods", compared with the curves; and what our shape and our noise gain.
void add_shape_claims(Figure& figure, const std::vector<ShapePair>& pairs);
/// Where JME and debiased PP cross, by the paper's count and by ours.
[[nodiscard]] Table crossover_table(std::string name, const std::vector<ShapePair>& pairs);

}  // namespace jme::experiments
