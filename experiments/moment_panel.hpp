#pragma once

#include <string>
#include <vector>

#include "experiments/agreement.hpp"
#include "experiments/figure.hpp"
#include "experiments/sigma_curve.hpp"
#include "experiments/simulated_errors.hpp"

namespace jme::experiments {

/// Which points of a panel are simulated.
struct PanelSimulation {
  std::vector<double> sigmas{};
  std::size_t runs = 0;
  bool jme = true;  ///< of the panel's shape; false where its noise does not fit into memory
  bool our_shape = false;
};

/// One panel of a figure that shows the second moment's error against sigma.
struct PanelRequest {
  std::string name, title;
  StreamConfig config;  ///< its method and sigma are the panel's; its shape is the panel's shape
  double scale = 1;     ///< the paper's workload is this times the library's
  PanelSimulation simulation{};
};

struct MomentPanel {
  Chart chart;
  SigmaCurve jme_paper;   ///< d^2 draws
  SigmaCurve jme;         ///< symmetric
  SigmaCurve jme_ours;    ///< symmetric, with the shape that `auto` chooses
  std::string our_shape;  ///< its name
  SigmaCurve pp, pp_debiased;
  double certified_gap;  ///< by which part the dual bound on PP's supremum exceeds what its curve has for it
  Agreement agreement;   ///< of the simulated points with the curves
};

/// Sigma as the paper's figures have it, 0.1 to 50.
[[nodiscard]] std::vector<double> figure_sigmas();

[[nodiscard]] MomentPanel moment_panel(const Effort& effort, const PanelRequest& request);

/// "0.706"; "nowhere" where the curves do not cross.
[[nodiscard]] std::string crossover_text(const SigmaCurve& a, const SigmaCurve& b);

}  // namespace jme::experiments
