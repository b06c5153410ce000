#include <algorithm>
#include <cmath>
#include <istream>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/clock/time.hpp>
#include <jme/inquiry/released_run.hpp>
#include <jme/models/covariance.hpp>
#include <jme/output/release_writer.hpp>

namespace jme {
namespace {

using Json = nlohmann::ordered_json;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double number(const Json& value) {
  return value.is_number() ? value.get<double>() : unknown;
}

std::vector<double> numbers(const Json& values, std::size_t length) {
  if (!values.is_array() || values.size() != length) {
    throw InvalidParameter("releases", "have another number of columns than their metadata");
  }
  std::vector<double> result;
  for (const Json& value : values) result.push_back(number(value));
  return result;
}

/// The diagonal of a covariance, or variances.
std::vector<double> diagonal(const Json& values, std::size_t d) {
  if (!values.is_array() || values.size() != d) {
    throw InvalidParameter("releases", "have another number of columns than their metadata");
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < d; ++i) {
    const Json& row = values[i];
    result.push_back(row.is_array() && i < row.size() ? number(row[i]) : number(row));
  }
  return result;
}

std::size_t step_of_rows(const Horizon& horizon, std::size_t rows) {
  return rows == 0 ? 0 : (rows - 1) / horizon.every();
}

}  // namespace

ReleasedRun::ReleasedRun(std::unique_ptr<PreparedRun> run)
    : owned_(std::move(run)), run_(owned_.get()), sums_(run_->mechanism()) {}

ReleasedRun::ReleasedRun(const PreparedRun& run) : run_(&run), sums_(run_->mechanism()) {}

std::vector<double> ReleasedRun::values_of(const Json& line, std::size_t step, std::size_t rows) const {
  const Mechanism& mechanism = run_->mechanism();
  const ReleaseLayout& layout = sums_.layout();
  const Units units = units_of(run_->bounds());
  const Workload& workload = mechanism.workload_first();
  const std::size_t d = layout.dimension;
  const double unit = workload.rows_per_weight(rows);
  std::vector<double> counts;  // in rows, with the weights of the workload
  if (layout.cell_counts) counts = numbers(line.value("count", Json()), d);
  if (layout.row_count) counts.push_back(number(line.value("rows", Json())));
  const double public_count = unit * workload.weight_sum(step, rows, mechanism.horizon());
  const bool has_first = line.contains("first");
  if (!has_first && !line.contains("mean")) {
    throw InvalidParameter("releases", "must have mean or first: let the run emit one of them");
  }
  std::vector<double> values = numbers(line[has_first ? "first" : "mean"], d);
  for (std::size_t i = 0; i < d; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double count = counts.empty() ? public_count : counts[layout.cell_counts ? i : 0];
    if (has_first) {
      values[i] = (values[i] * unit - count * units.centre(k)) / units.half_width(k);
    } else {
      // A private count below one row was taken for one.
      const double divisor = counts.empty() ? count : std::max(count, 1.0);
      values[i] = (values[i] - units.centre(k)) / units.half_width(k) * divisor;
    }
  }
  values.insert(values.end(), counts.begin(), counts.end());
  return values;
}

void ReleasedRun::keep_variance(const Json& line, std::size_t step) {
  const auto noise = line.find("noise_std");
  if (!line.contains("covariance") || noise == line.end() || !noise->contains("covariance")) return;
  const std::size_t d = sums_.layout().dimension;
  Variance made{.step = step,
                .value = diagonal(line["covariance"], d),
                .noise_std = diagonal((*noise)["covariance"], d)};
  const Units units = units_of(run_->bounds());
  for (std::size_t i = 0; i < d; ++i) {
    const double h = units.half_width(static_cast<Eigen::Index>(i));
    made.value[i] /= h * h;
    made.noise_std[i] /= h * h;
  }
  variances_.push_back(std::move(made));
}

void ReleasedRun::add(const Json& line) {
  try {
    const auto rows = line.at("t").get<std::size_t>();
    const std::size_t step = step_of_rows(run_->mechanism().horizon(), rows);
    sums_.add(step, rows, values_of(line, step, rows));
    keep_variance(line, step);
  } catch (const Json::exception&) {
    throw InvalidParameter("releases", "have a line that is no release of jme run");
  }
}

void ReleasedRun::add(const Release& release) {
  sums_.add(release);
  if (release.second_kind() == SecondMoment::none) return;
  if (run_->mechanism().workload_second().name() != run_->mechanism().workload_first().name()) return;
  const VectorEstimate variance =
      running_variance(release, Units::identity(release.dimension()), Bias::removed);
  variances_.push_back({.step = release.steps() - 1,
                        .value = {variance.value.begin(), variance.value.end()},
                        .noise_std = {variance.noise_std.begin(), variance.noise_std.end()}});
}

RowVariance ReleasedRun::row_variance(std::size_t step) const {
  const Mechanism& mechanism = run_->mechanism();
  const Variance* latest = nullptr;
  for (const Variance& variance : variances_) {
    if (variance.step <= step) latest = &variance;
  }
  if (latest == nullptr) return public_row_variance(mechanism);
  return released_row_variance(mechanism, latest->value, latest->noise_std);
}

std::size_t ReleasedRun::step_at(std::string_view moment, std::string_view field) const {
  if (sums_.empty()) throw StateError("releases: there is none");
  const std::string text(moment);
  const std::string have = fmt::format("t of a release, from {} to {}", sums_.rows(sums_.first_step()),
                                       sums_.rows(sums_.last_step()));
  const bool is_count = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  std::optional<std::size_t> step;
  if (is_count) {
    step = sums_.step_of(parse_count(field, text));
  } else if (run_->clock()) {
    const SlotSchedule schedule = run_->schedule();
    const std::optional<Seconds> time = parse_time(moment);
    if (time && *time > schedule.start && (*time - schedule.start) % schedule.length == 0) {
      step = sums_.step_of(static_cast<std::size_t>((*time - schedule.start) / schedule.length));
    }
    if (!step) {
      throw InvalidParameter(field, text,
                             fmt::format("the end of a slot that was released, from {} to {}, or its t",
                                         iso_text(schedule.end_of(sums_.first_step())),
                                         iso_text(schedule.end_of(sums_.last_step()))));
    }
  }
  if (!step) throw InvalidParameter(field, text, have);
  return *step;
}

ReleasedRun read_released_run(std::istream& lines, const std::string& name, const MatrixReader& read_matrix) {
  const auto parsed = [&](const std::string& line, std::size_t number) {
    Json object = Json::parse(line, nullptr, false);
    if (object.is_object()) return object;
    throw InvalidParameter("releases", fmt::format("{} line {} is not a JSON object", name, number));
  };
  std::string line;
  if (!std::getline(lines, line)) throw InvalidParameter("releases", name + " is empty");
  ReleasedRun run(run_of_metadata(parsed(line, 1), read_matrix));
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    if (!line.empty()) run.add(parsed(line, number));
  }
  return run;
}

}  // namespace jme
