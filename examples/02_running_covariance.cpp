// Mean and covariance together: the second moment costs the first nothing (joint moment estimation).
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  // Temperature in -20..45 degrees and humidity in 0..100 %: public ranges, mapped to [-1, 1].
  const jme::Units units{.centre = Eigen::Vector2d(12.5, 50), .half_width = Eigen::Vector2d(32.5, 50)};

  jme::MomentStream stream({.budget = {.epsilon = 1.0, .delta = 1e-6},
                            .rows = 50'000,
                            .every = 10'000,
                            .dimension = 2,
                            .norm_bound = std::sqrt(2.0),
                            .workload = jme::mean()});

  for (int t = 0; t < 50'000; ++t) {
    const double temperature = 15 + 10 * std::sin(0.0007 * t);
    const double humidity = 60 - 1.5 * (temperature - 15);
    const std::vector<double> row{(temperature - 12.5) / 32.5, (humidity - 50) / 50};
    const jme::Release& release = stream.push(row);
    if (!release.is_new()) continue;
    const auto mean = jme::running_mean(release, units);
    const auto covariance = jme::running_covariance(release, units);  // the noise's own bias is removed
    fmt::print("t = {:>6}: mean {:6.2f} +- {:.2f}, {:6.2f} +- {:.2f}; covariance {:7.2f} +- {:.2f}\n",
               release.rows(), mean.value(0), mean.noise_std(0), mean.value(1), mean.noise_std(1),
               covariance.value(0, 1), covariance.noise_std(0, 1));
  }
}
