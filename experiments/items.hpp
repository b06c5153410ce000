#pragma once

#include <span>
#include <string>
#include <string_view>

#include "experiments/effort.hpp"
#include "experiments/figure.hpp"

namespace jme::experiments {

/// One thing that `jme reproduce` can make.
struct Item {
  std::string_view name;     ///< as the command line has it
  std::string_view subject;  ///< in a line
  /// A pure function of the effort's seed and size, so that a finished item can be kept.
  Figure (*compute)(const Effort&);
  bool reads_files = false;  ///< then it is not a pure function, and is computed every time
};

/// All items, in the paper's order, followed by our own.
[[nodiscard]] std::span<const Item> items();

// The paper, figure by figure; each in the file of its name.
Figure pareto_curves(const Effort& effort);
Figure prefix_moment_error(const Effort& effort);
Figure density_divergence(const Effort& effort);
Figure adam_moment_error(const Effort& effort);
Figure covariance_error_figure(const Effort& effort);
Figure decay_and_window_error(const Effort& effort);
Figure workload_table(const Effort& effort);
Figure training_table(const Effort& effort);
// Beyond the paper.
Figure release_schedule(const Effort& effort);
Figure low_privacy(const Effort& effort);
Figure rows_in_a_box(const Effort& effort);
Figure shapes_and_optimum(const Effort& effort);
Figure change_alarms(const Effort& effort);

}  // namespace jme::experiments
