#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/regression.hpp>
#include <jme/output/release_writer.hpp>

namespace jme {

namespace {

using Buffer = fmt::memory_buffer;

void put(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// Shortest text that reads back as the same double; JSON has only null for NaN and infinity.
void put_number(Buffer& out, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    put(out, "null");
  }
}

template <class Row>
void put_vector(Buffer& out, const Row& values) {
  out.push_back('[');
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (i > 0) out.push_back(',');
    put_number(out, values(i));
  }
  out.push_back(']');
}

void put_matrix(Buffer& out, const Eigen::MatrixXd& values) {
  out.push_back('[');
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    if (i > 0) out.push_back(',');
    put_vector(out, values.row(i));
  }
  out.push_back(']');
}

// A pair of numbers per mean, or null.
void put_intervals(Buffer& out, const MeanInterval& interval) {
  out.push_back('[');
  for (Eigen::Index i = 0; i < interval.low.size(); ++i) {
    if (i > 0) out.push_back(',');
    if (std::isfinite(interval.low(i)) && std::isfinite(interval.high(i))) {
      put_vector(out, Eigen::Vector2d(interval.low(i), interval.high(i)));
    } else {
      put(out, "null");
    }
  }
  out.push_back(']');
}

VectorEstimate variance(const Release& release, const Units& units, const EmitOptions& options,
                        const Divisors& divisors) {
  VectorEstimate estimate = running_variance(release, units, options.bias, divisors);
  // Not cwiseMax, which may take NaN for a number.
  if (options.psd) estimate.value = (estimate.value.array() < 0).select(0.0, estimate.value);
  return estimate;
}

bool is_regression(const EmitItem& item) {
  return item.kind == Emit::regression;
}
bool needs_moments(const EmitItem& item) {
  return item.kind == Emit::correlation || item.kind == Emit::precision || item.kind == Emit::pca ||
         item.kind == Emit::density || is_regression(item);
}

bool uses_products(const EmitItem& item) {
  return item.kind == Emit::second || item.kind == Emit::covariance || needs_moments(item);
}
bool is_mean(const EmitItem& item) {
  return item.kind == Emit::mean;
}

}  // namespace

CountTracker::Counts counts_of(const Workload& workload) {
  const bool all_rows = workload.kind() == Workload::Kind::prefix || workload.kind() == Workload::Kind::mean;
  return all_rows ? CountTracker::Counts::grow : CountTracker::Counts::may_fall;
}

MatrixEstimate pair_count_matrix(const Release& release) {
  const auto d = static_cast<Eigen::Index>(release.dimension());
  const double unit = release.count_unit();
  MatrixEstimate result{.value = Eigen::MatrixXd(d, d),
                        .noise_std = Eigen::MatrixXd::Constant(d, d, unit * release.std_pair_count())};
  result.noise_std.diagonal().setConstant(unit * release.std_count());
  for (std::size_t i = 0; i < release.dimension(); ++i) {
    for (std::size_t j = i; j < release.dimension(); ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      result.value(r, c) = result.value(c, r) =
          unit *
          (i == j ? release.counts()[i] : release.pair_counts()[pair_index(i, j, release.dimension())]);
    }
  }
  return result;
}

CovarianceEstimate emitted_covariance(const Release& release, const Units& units, const EmitOptions& options,
                                      const Divisors& divisors) {
  CovarianceEstimate estimate = running_covariance(release, units, options.bias, divisors);
  if (!options.psd) return estimate;
  if (estimate.value.hasNaN()) {
    estimate.value.setConstant(NAN);
    estimate.noise_std.setConstant(NAN);
    return estimate;
  }
  // Nearest in the unit box, where every column carries the same noise; a congruence keeps it semidefinite.
  const Units unit_box = Units::identity(release.dimension());
  const Eigen::MatrixXd projected =
      nearest_semidefinite(running_covariance(release, unit_box, options.bias, divisors).value);
  estimate.value = units.half_width.asDiagonal() * projected * units.half_width.asDiagonal();
  return estimate;
}

// A value and its noise, both as text for the line.
struct ReleaseWriter::Entry {
  Buffer value, noise;

  void text(std::string_view both) {
    put(value, both);
    put(noise, both);
  }
  void number(const Estimate& estimate) {
    put_number(value, estimate.value);
    put_number(noise, estimate.noise_std);
  }
  void vector(const VectorEstimate& estimate) {
    put_vector(value, estimate.value);
    put_vector(noise, estimate.noise_std);
  }
  void matrix(const MatrixEstimate& estimate) {
    put_matrix(value, estimate.value);
    put_matrix(noise, estimate.noise_std);
  }
};

struct ReleaseWriter::Named {
  explicit Named(std::string_view text) : name(text) {}
  std::string_view name;
  Entry entry;
};

ReleaseWriter::ReleaseWriter(Units units, EmitOptions options, std::vector<std::string> columns,
                             CountTracker::Counts counts, std::optional<SlotSchedule> slots)
    : units_(std::move(units)),
      options_(std::move(options)),
      columns_(std::move(columns)),
      needs_moments_(std::any_of(options_.values.begin(), options_.values.end(), needs_moments)),
      several_regressions_(std::count_if(options_.values.begin(), options_.values.end(), is_regression) > 1),
      emits_products_(std::any_of(options_.values.begin(), options_.values.end(), uses_products)),
      emits_means_(std::any_of(options_.values.begin(), options_.values.end(), is_mean)),
      counts_(counts),
      slots_(slots) {}

ReleaseWriter::Entry ReleaseWriter::entry(const EmitItem& item, const Release& release,
                                          const Divisors& divisors, const RunningMoments* moments) {
  Entry result;
  const bool full = release.second_kind() == SecondMoment::full;
  switch (item.kind) {
    case Emit::first:
      result.vector(natural_first(release, units_));
      break;
    case Emit::second: {
      const CovarianceEstimate second = natural_second(release, units_, divisors);
      if (full) {
        result.matrix(second);
      } else {
        result.vector({.value = second.value.diagonal(), .noise_std = second.noise_std.diagonal()});
      }
      break;
    }
    case Emit::mean:
      result.vector(running_mean(release, units_, divisors));
      break;
    case Emit::covariance:
      if (full) {
        result.matrix(emitted_covariance(release, units_, options_, divisors));
      } else {
        result.vector(variance(release, units_, options_, divisors));
      }
      break;
    case Emit::correlation:
      result.matrix(correlation(*moments));
      break;
    case Emit::precision:
      result.matrix(precision(*moments));
      break;
    case Emit::pca: {
      const PrincipalComponents parts = components_.next(*moments, item.count);
      result.text("{\"values\":");
      result.vector(parts.values);
      result.text(",\"shares\":");
      result.vector(parts.shares);
      result.text(",\"components\":");
      result.matrix(parts.components);
      result.text("}");
      break;
    }
    case Emit::regression: {
      const LinearRegression line = linear_regression(*moments, item.target);
      put(result.value, "{\"target\":" + nlohmann::json(columns_[item.target]).dump() + ",\"intercept\":");
      put(result.noise, "{\"intercept\":");
      result.number(line.intercept);
      result.text(",\"coefficients\":");
      result.vector(line.coefficients);
      result.text("}");
      break;
    }
    case Emit::density: {
      const GaussianDensity density(*moments);
      result.text("{\"mean\":");
      result.vector(density.mean());
      result.text(",\"covariance\":");
      result.matrix(density.covariance());
      result.text(",\"log_det\":");
      result.number(density.log_det());
      result.text("}");
      break;
    }
  }
  return result;
}

// "pca" and "regression" without their arguments, which are inside the value; where there are several
// regressions, they keep theirs.
std::string ReleaseWriter::key(const EmitItem& item) const {
  std::string text = item.text();
  if (!is_regression(item) || !several_regressions_) text.resize(std::min(text.find(':'), text.size()));
  return nlohmann::json(text).dump();
}

// Counts in rows: what a reader needs to see why a value is null, and how far to trust it.
std::vector<ReleaseWriter::Named> ReleaseWriter::counts_of_release(const Release& release) const {
  std::vector<Named> result;
  const double unit = release.count_unit();
  if (release.row_count()) {
    result.emplace_back("\"rows\"")
        .entry.number({.value = unit * *release.row_count(), .noise_std = unit * release.std_rows()});
  }
  if (!release.layout().cell_counts) return result;
  const auto d = static_cast<Eigen::Index>(release.dimension());
  const VectorEstimate cells{.value = unit * Eigen::Map<const Eigen::VectorXd>(release.counts().data(), d),
                             .noise_std = Eigen::VectorXd::Constant(d, unit * release.std_count())};
  result.emplace_back("\"count\"").entry.vector(cells);
  if (emits_products_ && release.second_kind() == SecondMoment::full) {
    result.emplace_back("\"pair_count\"").entry.matrix(pair_count_matrix(release));
  }
  return result;
}

std::string ReleaseWriter::line(const Release& release) {
  Buffer line, noise;
  fmt::format_to(std::back_inserter(line), "{{\"t\":{}", release.rows());
  if (slots_) {
    fmt::format_to(std::back_inserter(line), ",\"time\":\"{}\"",
                   iso_text(slots_->end_of(release.steps() - 1)));
  }
  const auto add = [&](std::string_view name, const Entry& made) {
    fmt::format_to(std::back_inserter(line), ",{}:", name);
    line.append(made.value);
    fmt::format_to(std::back_inserter(noise), "{}{}:", noise.size() == 0 ? "" : ",", name);
    noise.append(made.noise);
  };
  const Divisors divisors = counts_.next(release);
  for (const Named& count : counts_of_release(release)) add(count.name, count.entry);
  std::optional<RunningMoments> moments;
  if (needs_moments_) moments.emplace(release, units_, options_.bias, divisors);
  for (const EmitItem& item : options_.values) {
    add(key(item), entry(item, release, divisors, moments ? &*moments : nullptr));
  }
  if (emits_means_ && divisors.kind() != Divisors::Kind::weights) {
    const MeanInterval interval = mean_interval(release, units_);
    put(line, ",\"interval\":{\"mean\":");
    put_intervals(line, interval);
    put(line, "}");
  }
  put(line, ",\"noise_std\":{");
  line.append(noise);
  put(line, "}}\n");
  return fmt::to_string(line);
}

Units units_of(const ColumnBounds& bounds) {
  const auto copy = [](std::span<const double> values) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  };
  return {.centre = copy(bounds.centre()), .half_width = copy(bounds.half_width())};
}

}  // namespace jme
