#include <algorithm>
#include <optional>
#include <random>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <jme/models/correlation.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>

#include "bindings/arrays.hpp"
#include "bindings/releases.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

using Points = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple components_of(const OneRelease& one, std::size_t count, const std::optional<Points>& before) {
  ComponentTracker tracker;
  if (before) tracker = ComponentTracker(matrix_of(*before));
  const PrincipalComponents parts = tracker.next(one.moments(), count);
  return nb::make_tuple(pair_of(parts.values), pair_of(parts.shares), pair_of(parts.components),
                        array_of(tracker.memory()));
}

nb::tuple regression_of(const OneRelease& one, std::size_t target) {
  const LinearRegression line = linear_regression(one.moments(), target);
  return nb::make_tuple(pair_of(line.intercept), pair_of(line.coefficients));
}

/// A number with its noise for each of the points, one per row.
template <class Value>
nb::tuple of_points(const GaussianDensity& density, const Points& points, const Value& value) {
  if (points.shape(1) != density.dimension())
    throw nb::value_error("points must have one number for each column");
  std::vector<double> values, noise;
  for (std::size_t i = 0; i < points.shape(0); ++i) {
    const Estimate estimate = value(std::span(points.data() + i * points.shape(1), points.shape(1)));
    values.push_back(estimate.value);
    noise.push_back(estimate.noise_std);
  }
  const std::size_t count = values.size();
  return nb::make_tuple(array_of(std::move(values), {count}), array_of(std::move(noise), {count}));
}

/// Standard normal draws become points.
Array points_of(const GaussianDensity& density, const Points& draws) {
  if (draws.shape(1) != density.dimension())
    throw nb::value_error("draws must have one number for each column");
  std::vector<double> numbers;
  for (std::size_t i = 0; i < draws.shape(0); ++i) {
    const Eigen::VectorXd point =
        density.point_of(std::span(draws.data() + i * draws.shape(1), draws.shape(1)));
    numbers.insert(numbers.end(), point.begin(), point.end());
  }
  return array_of(std::move(numbers), {draws.shape(0), draws.shape(1)});
}

}  // namespace

void bind_models(nb::class_<OneRelease>& release, nb::module_& m) {
  release.def("correlation", [](const OneRelease& one) { return pair_of(correlation(one.moments())); })
      .def("precision", [](const OneRelease& one) { return pair_of(precision(one.moments())); })
      .def("components", &components_of, nb::arg("count"), nb::arg("before").none())
      .def("regression", &regression_of)
      .def("density", [](const OneRelease& one) { return GaussianDensity(one.moments()); });

  nb::class_<GaussianDensity>(m, "Density")
      .def("mean", [](const GaussianDensity& density) { return pair_of(density.mean()); })
      .def("covariance", [](const GaussianDensity& density) { return pair_of(density.covariance()); })
      .def("log_det", [](const GaussianDensity& density) { return pair_of(density.log_det()); })
      .def("log_density",
           [](const GaussianDensity& density, const Points& points) {
             return of_points(density, points,
                              [&](std::span<const double> point) { return density.log_density(point); });
           })
      .def("outlier_score",
           [](const GaussianDensity& density, const Points& points) {
             return of_points(density, points,
                              [&](std::span<const double> point) { return density.outlier_score(point); });
           })
      .def("points_of", &points_of);
}

}  // namespace jme::python
