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

VectorEstimate variance_of(const OneRelease& one) {
  VectorEstimate estimate =
      running_variance(one.release(), one.reading().units, one.reading().bias, one.divisors());
  // Not cwiseMax, which may take NaN for a number.
  if (one.reading().psd) estimate.value = (estimate.value.array() < 0).select(0.0, estimate.value);
  return estimate;
}

CovarianceEstimate full_covariance_of(const OneRelease& one) {
  return emitted_covariance(one.release(), one.reading().units, one.reading().emit(), one.divisors());
}

VectorEstimate mean_of(const OneRelease& one) {
  return running_mean(one.release(), one.reading().units, one.divisors());
}

/// The running covariance as the run emits it; the variances alone where the second moment is diagonal.
nb::tuple covariance_of(const OneRelease& one) {
  if (one.release().second_kind() == SecondMoment::diagonal) return pair_of(variance_of(one));
  return pair_of(full_covariance_of(one));
}

nb::tuple second_of(const OneRelease& one) {
  const CovarianceEstimate second = natural_second(one.release(), one.reading().units, one.divisors());
  if (one.release().second_kind() != SecondMoment::diagonal) return pair_of(second);
  return pair_of(VectorEstimate{.value = second.value.diagonal(), .noise_std = second.noise_std.diagonal()});
}

/// 95% intervals of the means, exact where counts are private too.
nb::tuple interval_of(const OneRelease& one) {
  const MeanInterval interval = mean_interval(one.release(), one.reading().units);
  return nb::make_tuple(array_of(interval.low), array_of(interval.high));
}

/// Numbers of rows that have each cell, and their noise; none where they are not released.
nb::object counts_of_cells(const OneRelease& one) {
  const Release& release = one.release();
  if (!release.layout().cell_counts) return nb::none();
  const auto d = static_cast<Eigen::Index>(release.dimension());
  return pair_of(VectorEstimate{
      .value = release.count_unit() * Eigen::Map<const Eigen::VectorXd>(release.counts().data(), d),
      .noise_std = Eigen::VectorXd::Constant(d, release.count_unit() * release.std_count())});
}

/// The same for pairs of cells, with those of single cells on the diagonal.
nb::object counts_of_pairs(const OneRelease& one) {
  const Release& release = one.release();
  if (!release.layout().cell_counts || release.second_kind() != SecondMoment::full) return nb::none();
  return pair_of(pair_count_matrix(release));
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
    const auto estimate = estimate_of(many.item(i));
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
  return stacked(many, {many.reading().columns.size()}, mean_of);
}

nb::tuple covariances_of(const ManyReleases& many) {
  const std::size_t d = many.reading().columns.size();
  if (many.reading().layout.second == SecondMoment::diagonal) return stacked(many, {d}, variance_of);
  return stacked(many, {d, d}, full_covariance_of);
}

/// (title, SVG) of one chart for each of the first columns: its means over the rows, with their band.
std::vector<std::pair<std::string, std::string>> charts_of(const ManyReleases& many) {
  constexpr std::size_t most_charts = 4;
  const ReleaseReading& reading = many.reading();
  const std::size_t shown = std::min(reading.columns.size(), most_charts);
  std::vector<report::Series> series(shown);
  for (std::size_t i = 0; i < many.size(); ++i) {
    const VectorEstimate mean = mean_of(many.item(i));
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
  nb::list known;
  for (std::size_t i = 0; i < many.size() && many.known(i) != nullptr; ++i) {
    const KnownCounts& counts = *many.known(i);
    known.append(nb::make_tuple(counts.rows, std::vector<int>(counts.cells.begin(), counts.cells.end()),
                                std::vector<int>(counts.pairs.begin(), counts.pairs.end())));
  }
  const std::size_t width = many.size() == 0 ? 0 : numbers.size() / many.size();
  return nb::make_tuple(nb::make_tuple(r.layout.dimension, std::string(name(r.layout.second)),
                                       r.layout.cell_counts, r.layout.row_count, r.bias == Bias::kept, r.psd),
                        array_of(r.units.centre), array_of(r.units.half_width), r.columns,
                        counts_along(many, &ManyReleases::rows), counts_along(many, &ManyReleases::steps),
                        array_of(std::move(numbers), {many.size(), width}), known);
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Wholes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

ManyReleases from_state(const nb::tuple& kind, const Numbers& centre, const Numbers& half_width,
                        std::vector<std::string> columns, const Wholes& rows, const Wholes& steps,
                        const Table2& packed, const nb::list& known) {
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
  auto releases = std::make_shared<KeptReleases>(reading->layout);
  for (std::size_t i = 0; i < packed.shape(0); ++i) {
    releases->items.append(Release::unpacked(
        reading->layout, static_cast<std::size_t>(rows(i)), static_cast<std::size_t>(steps(i)),
        std::span(packed.data() + i * packed.shape(1), packed.shape(1))));
  }
  if (known.size() != 0 && known.size() != packed.shape(0)) {
    throw nb::value_error("these are not the parts of releases");
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto flags = [&](std::size_t part) {
      const auto numbers = nb::cast<std::vector<int>>(known[i][part]);
      return std::vector<bool>(numbers.begin(), numbers.end());
    };
    KnownCounts counts{.rows = nb::cast<bool>(known[i][0]), .cells = flags(1), .pairs = flags(2)};
    if (counts.cells.size() != reading->layout.count_of_cells() ||
        counts.pairs.size() != reading->layout.count_of_pairs()) {
      throw nb::value_error("these are not the parts of releases");
    }
    releases->known.push_back(std::move(counts));
  }
  return {std::move(reading), std::move(releases)};
}

}  // namespace

void KeptReleases::append(const Release& release, CountTracker& counts) {
  if (release.layout().cell_counts || release.layout().row_count) {
    static_cast<void>(counts.next(release));
    known.push_back(counts.memory());
  }
  items.append(release);
}

Divisors KeptReleases::divisors(std::size_t i, const Release& release) const {
  return known.empty() ? Divisors(release) : Divisors(release, known[i]);
}

OneRelease ManyReleases::item(std::size_t i) const {
  Release release = all_->items[place(i)];
  Divisors divisors = all_->divisors(place(i), release);
  return {reading_, std::move(release), std::move(divisors)};
}

ManyReleases ManyReleases::without_zero_rows(std::size_t count) const {
  auto all = std::make_shared<KeptReleases>(reading_->layout);
  for (std::size_t i = 0; i < count_; ++i) {
    all->items.append(all_->items[place(i)].without_zero_rows(count));
  }
  return {reading_, std::move(all)};
}

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
      .def("without_zero_rows", &ManyReleases::without_zero_rows)
      .def("state", &state_of)
      .def_static("from_state", &from_state);

  nb::class_<OneRelease> release(m, "Release");
  release.def_prop_ro("rows", [](const OneRelease& one) { return one.release().rows(); })
      .def_prop_ro("step", [](const OneRelease& one) { return one.release().steps(); })
      .def_prop_ro("columns", [](const OneRelease& one) { return one.reading().columns; })
      .def_prop_ro("second_kind",
                   [](const OneRelease& one) { return std::string(name(one.release().second_kind())); })
      .def("mean", [](const OneRelease& one) { return pair_of(mean_of(one)); })
      .def("mean_interval", &interval_of)
      .def("covariance", &covariance_of)
      .def("first",
           [](const OneRelease& one) { return pair_of(natural_first(one.release(), one.reading().units)); })
      .def("second", &second_of)
      .def("counts", &counts_of_cells)
      .def("pair_counts", &counts_of_pairs)
      .def("row_count", [](const OneRelease& one) { return row_count_of(one.release()); });
  bind_models(release, m);
}

}  // namespace jme::python
