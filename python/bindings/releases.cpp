#include "bindings/releases.hpp"

#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/models/covariance.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_collector.hpp>
#include <jme/report/line_chart.hpp>

#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

VectorEstimate variance_of(const Release& release, const ReleaseReading& reading) {
  VectorEstimate estimate = running_variance(release, reading.units, reading.bias);
  if (reading.psd) estimate.value = estimate.value.cwiseMax(0.0);
  return estimate;
}

/// The running covariance as the run emits it; the variances alone where the second moment is diagonal.
nb::tuple covariance_of(const OneRelease& one) {
  const Release& release = one.release();
  if (release.second_kind() == SecondMoment::diagonal) return pair_of(variance_of(release, one.reading()));
  return pair_of(emitted_covariance(release, one.reading().units, one.reading().emit()));
}

nb::tuple second_of(const OneRelease& one) {
  const CovarianceEstimate second = natural_second(one.release(), one.reading().units);
  if (one.release().second_kind() != SecondMoment::diagonal) return pair_of(second);
  return pair_of(VectorEstimate{.value = second.value.diagonal(), .noise_std = second.noise_std.diagonal()});
}

/// Numbers of rows and their noise; none where they are not released.
nb::object counts_of(const Release& release, std::span<const double> counts, double noise) {
  if (counts.empty()) return nb::none();
  std::vector<double> numbers(counts.begin(), counts.end());
  for (double& number : numbers) number *= release.count_unit();
  const std::size_t size = numbers.size();
  return nb::make_tuple(array_of(std::move(numbers), {size}), noise * release.count_unit());
}

nb::object row_count_of(const Release& release) {
  if (!release.row_count()) return nb::none();
  return nb::make_tuple(*release.row_count() * release.count_unit(),
                        release.std_rows() * release.count_unit());
}

/// One estimate of every release, as two arrays with the releases along the first axis.
template <class Estimates>
nb::tuple stacked(const ManyReleases& many, const std::vector<std::size_t>& shape,
                  const Estimates& estimate_of) {
  std::size_t size = 1;
  for (const std::size_t length : shape) size *= length;
  std::vector<double> values(many.size() * size), noise(many.size() * size);
  for (std::size_t i = 0; i < many.size(); ++i) {
    const auto estimate = estimate_of(many.at(i));
    // Vectors, or symmetric matrices, whose order in memory does not matter.
    std::copy_n(estimate.value.data(), size, values.begin() + static_cast<std::ptrdiff_t>(i * size));
    std::copy_n(estimate.noise_std.data(), size, noise.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  const auto made = [&](std::vector<double> numbers) {
    return shape.size() == 1 ? array_of(std::move(numbers), {many.size(), shape[0]})
                             : array_of(std::move(numbers), {many.size(), shape[0], shape[1]});
  };
  return nb::make_tuple(made(std::move(values)), made(std::move(noise)));
}

nb::tuple means_of(const ManyReleases& many) {
  const ReleaseReading& reading = many.reading();
  return stacked(many, {reading.columns.size()},
                 [&](const Release& release) { return running_mean(release, reading.units); });
}

nb::tuple covariances_of(const ManyReleases& many) {
  const ReleaseReading& reading = many.reading();
  const std::size_t d = reading.columns.size();
  if (reading.layout.second == SecondMoment::diagonal) {
    return stacked(many, {d}, [&](const Release& release) { return variance_of(release, reading); });
  }
  return stacked(many, {d, d}, [&](const Release& release) {
    return emitted_covariance(release, reading.units, reading.emit());
  });
}

/// (title, SVG) of one chart for each of the first columns: its means over the rows, with their band.
std::vector<std::pair<std::string, std::string>> charts_of(const ManyReleases& many) {
  constexpr std::size_t most_charts = 4;
  const ReleaseReading& reading = many.reading();
  const std::size_t shown = std::min(reading.columns.size(), most_charts);
  std::vector<report::Series> series(shown);
  for (std::size_t i = 0; i < many.size(); ++i) {
    const VectorEstimate mean = running_mean(many.at(i), reading.units);
    for (std::size_t j = 0; j < shown; ++j) {
      const double value = mean.value(static_cast<Eigen::Index>(j));
      const double half = band_95 * mean.noise_std(static_cast<Eigen::Index>(j));
      series[j].x.push_back(static_cast<double>(many.rows(i)));
      series[j].y.push_back(value);
      series[j].low.push_back(value - half);
      series[j].high.push_back(value + half);
    }
  }
  std::vector<std::pair<std::string, std::string>> charts;
  for (std::size_t j = 0; j < shown; ++j) {
    const report::Drawing drawing =
        report::draw({.title = "Mean of " + reading.columns[j],
                      .description = "The running mean and its 95% band, by the number of rows.",
                      .x = {.label = "rows"},
                      .series = {series[j]}});
    charts.emplace_back(drawing.title(), drawing.file());
  }
  return charts;
}

Counts counts_along(const ManyReleases& many, std::size_t (ManyReleases::*count)(std::size_t) const) {
  std::vector<std::int64_t> numbers(many.size());
  for (std::size_t i = 0; i < many.size(); ++i) numbers[i] = static_cast<std::int64_t>((many.*count)(i));
  return array_of(std::move(numbers), {many.size()});
}

/// Everything as plain Python values, from which from_state makes the same releases again.
nb::tuple state_of(const ManyReleases& many) {
  const ReleaseReading& r = many.reading();
  std::vector<double> numbers;
  for (std::size_t i = 0; i < many.size(); ++i) {
    const std::span<const double> packed = many.packed(i);
    numbers.insert(numbers.end(), packed.begin(), packed.end());
  }
  const std::size_t width = many.size() == 0 ? 0 : numbers.size() / many.size();
  return nb::make_tuple(nb::make_tuple(r.layout.dimension, std::string(name(r.layout.second)),
                                       r.layout.cell_counts, r.layout.row_count, r.bias == Bias::kept, r.psd),
                        array_of(r.units.centre), array_of(r.units.half_width), r.columns,
                        counts_along(many, &ManyReleases::rows), counts_along(many, &ManyReleases::steps),
                        array_of(std::move(numbers), {many.size(), width}));
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Wholes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

ManyReleases from_state(const nb::tuple& kind, const Numbers& centre, const Numbers& half_width,
                        std::vector<std::string> columns, const Wholes& rows, const Wholes& steps,
                        const Table2& packed) {
  const auto vector = [](const Numbers& numbers) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.shape(0))));
  };
  auto reading = std::make_shared<ReleaseReading>(
      ReleaseReading{.layout = {.dimension = nb::cast<std::size_t>(kind[0]),
                                .second = parse_second(nb::cast<std::string>(kind[1])),
                                .cell_counts = nb::cast<bool>(kind[2]),
                                .row_count = nb::cast<bool>(kind[3])},
                     .units = {.centre = vector(centre), .half_width = vector(half_width)},
                     .bias = nb::cast<bool>(kind[4]) ? Bias::kept : Bias::removed,
                     .psd = nb::cast<bool>(kind[5]),
                     .columns = std::move(columns)});
  const std::size_t d = reading->layout.dimension;
  if (centre.shape(0) != d || half_width.shape(0) != d || reading->columns.size() != d ||
      rows.shape(0) != packed.shape(0) || steps.shape(0) != packed.shape(0)) {
    throw nb::value_error("these are not the parts of releases");
  }
  auto releases = std::make_shared<Releases>(reading->layout);
  for (std::size_t i = 0; i < packed.shape(0); ++i) {
    releases->append(Release::unpacked(reading->layout, static_cast<std::size_t>(rows(i)),
                                       static_cast<std::size_t>(steps(i)),
                                       std::span(packed.data() + i * packed.shape(1), packed.shape(1))));
  }
  return {std::move(reading), std::move(releases)};
}

}  // namespace

ManyReleases ManyReleases::part(std::size_t begin, std::ptrdiff_t step, std::size_t count) const {
  ManyReleases result = *this;
  result.begin_ = count == 0 ? 0 : place(begin);
  result.step_ = step_ * step;
  result.count_ = count;
  return result;
}

void bind_releases(nb::module_& m) {
  nb::class_<ManyReleases>(m, "Releases")
      .def("__len__", &ManyReleases::size)
      .def("item", &ManyReleases::item)
      .def("part", &ManyReleases::part)
      .def_prop_ro("columns", [](const ManyReleases& many) { return many.reading().columns; })
      .def("t", [](const ManyReleases& many) { return counts_along(many, &ManyReleases::rows); })
      .def("means", &means_of)
      .def("covariances", &covariances_of)
      .def("charts", &charts_of)
      .def("state", &state_of)
      .def_static("from_state", &from_state);

  nb::class_<OneRelease> release(m, "Release");
  release.def_prop_ro("rows", [](const OneRelease& one) { return one.release().rows(); })
      .def_prop_ro("step", [](const OneRelease& one) { return one.release().steps(); })
      .def_prop_ro("columns", [](const OneRelease& one) { return one.reading().columns; })
      .def_prop_ro("second_kind",
                   [](const OneRelease& one) { return std::string(name(one.release().second_kind())); })
      .def("mean",
           [](const OneRelease& one) { return pair_of(running_mean(one.release(), one.reading().units)); })
      .def("covariance", &covariance_of)
      .def("first",
           [](const OneRelease& one) { return pair_of(natural_first(one.release(), one.reading().units)); })
      .def("second", &second_of)
      .def("counts",
           [](const OneRelease& one) {
             return counts_of(one.release(), one.release().counts(), one.release().std_count());
           })
      .def("pair_counts",
           [](const OneRelease& one) {
             return counts_of(one.release(), one.release().pair_counts(), one.release().std_pair_count());
           })
      .def("row_count", [](const OneRelease& one) { return row_count_of(one.release()); });
  bind_models(release, m);
}

}  // namespace jme::python
