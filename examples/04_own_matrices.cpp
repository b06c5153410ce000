// Your own workload and noise shape: any lower-triangular matrices over the steps.
#include <vector>

#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  constexpr Eigen::Index n = 8;
  // Publish the sum of the last three steps, the newest counted twice.
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index t = 0; t < n; ++t) {
    a(t, t) = 2;
    for (Eigen::Index i = std::max<Eigen::Index>(0, t - 2); i < t; ++i) a(t, i) = 1;
  }
  // Shape the noise so that it cancels over those sums: the certified optimum for this workload.
  const jme::DenseOptimum best = jme::dense_optimum(a);
  fmt::print("rmse per unit noise: {:.5f}, and no matrix is below {:.5f}\n", best.rmse, best.lower_bound);

  jme::MomentStream stream({.budget = {.epsilon = 2.0, .delta = 1e-6},
                            .steps = n,
                            .dimension = 1,
                            .norm_bound = 1.0,
                            .workload = jme::custom(a),
                            .shape = jme::Shape::custom(best.c)});
  for (Eigen::Index t = 0; t < n; ++t) {
    const std::vector<double> row{0.5};
    const jme::Release& release = stream.push(row);
    fmt::print("step {}: {:7.3f} +- {:.3f}\n", release.steps(), release.first()[0], release.std_first());
  }
}
