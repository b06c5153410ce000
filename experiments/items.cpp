#include "experiments/items.hpp"

namespace jme::experiments {

std::span<const Item> items() {
  static constexpr Item all[] = {
      {.name = "pareto", .subject = "Figure 1: first moment against second", .compute = pareto_curves},
      {.name = "prefix", .subject = "Figure 2: second moment of prefix sums", .compute = prefix_moment_error},
      {.name = "density", .subject = "Figure 3: Gaussian density estimation", .compute = density_divergence},
      {.name = "adam", .subject = "Figure 5: Adam's second moment", .compute = adam_moment_error},
      {.name = "covariance", .subject = "Figure 6: running covariance", .compute = covariance_error_figure},
      {.name = "decay-window", .subject = "Figure 7: decay and window", .compute = decay_and_window_error},
      {.name = "workloads", .subject = "Table 1: workloads and their noise", .compute = workload_table},
      {.name = "training",
       .subject = "Figure 4, Tables 2 and 3: private Adam",
       .compute = training_table,
       .reads_files = true},
      {.name = "schedule",
       .subject = "beyond the paper: a release every k rows",
       .compute = release_schedule},
      {.name = "low-privacy",
       .subject = "beyond the paper: when PP is better, and whether it is the best",
       .compute = low_privacy},
      {.name = "geometry", .subject = "beyond the paper: rows in a box", .compute = rows_in_a_box},
      {.name = "shapes", .subject = "beyond the paper: shapes and optimum", .compute = shapes_and_optimum},
      {.name = "alarms", .subject = "beyond the paper: alarms that a mean changed", .compute = change_alarms},
  };
  return all;
}

}  // namespace jme::experiments
