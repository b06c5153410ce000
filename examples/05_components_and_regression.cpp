// Principal components, a regression, a density and an outlier score: all from releases, at no privacy cost.
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  // Temperature, humidity and electricity use in public ranges, mapped to [-1, 1].
  const jme::Units units{.centre = Eigen::Vector3d(12.5, 50, 1500),
                         .half_width = Eigen::Vector3d(32.5, 50, 1500)};
  jme::MomentStream stream({.budget = {.epsilon = 1.0, .delta = 1e-6},
                            .rows = 200'000,
                            .every = 50'000,
                            .dimension = 3,
                            .norm_bound = std::sqrt(3.0)});

  jme::ComponentTracker tracker;  // one per stream: components keep their signs between releases
  for (int t = 0; t < 200'000; ++t) {
    const double season = std::sin(0.0007 * t), weather = std::sin(0.05 * t), day = std::cos(0.26 * t);
    const double temperature = 12 + 12 * season + 5 * weather;
    const double humidity = 55 - 15 * weather + 10 * day;
    const double electricity = 1900 - 40 * temperature + 5 * humidity + 250 * std::cos(1.7 * t);
    const Eigen::Vector3d natural(temperature, humidity, electricity);
    const Eigen::Vector3d row = (natural - units.centre).cwiseQuotient(units.half_width);
    const jme::Release& release = stream.push({row.data(), 3});
    if (!release.is_new()) continue;

    const jme::RunningMoments moments(release, units);
    const auto line = jme::linear_regression(moments, 2);
    fmt::print(
        "t = {}\n  electricity = {:.0f} +- {:.0f}  {:+.1f} +- {:.1f} a degree  {:+.1f} +- {:.1f} a percent\n",
        release.rows(), line.intercept.value, line.intercept.noise_std, line.coefficients.value(0),
        line.coefficients.noise_std(0), line.coefficients.value(1), line.coefficients.noise_std(1));

    const auto parts = tracker.next(moments, 1);
    const auto first = parts.components.value.row(0);
    fmt::print("  first component ({:.3f}, {:.3f}, {:.3f}), variance {:.0f} +- {:.0f}\n", first(0), first(1),
               first(2), parts.values.value(0), parts.values.noise_std(0));

    const jme::GaussianDensity density(moments);
    const std::vector<double> hot_and_busy{30, 40, 2800};
    const jme::Estimate score = density.outlier_score(hot_and_busy);
    fmt::print("  30 degrees, 40 %, 2800 W lie {:.1f} +- {:.1f} deviations out\n", score.value,
               score.noise_std);
  }
}
