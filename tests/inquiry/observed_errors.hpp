#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <jme/models/covariance.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/running_stream.hpp>

// Real runs whose data are known exactly, so that the errors of their last releases can be seen.
namespace jme::test {

/// Rows that count have exactly these means and standard deviations in the unit box, and no correlation.
struct KnownColumns {
  std::vector<double> mean, deviation;
};

/// Errors of one run's last release, in natural units: of means, deviations (column after column) and
/// correlations (pair after pair).
struct ObservedErrors {
  std::vector<double> mean, deviation, correlation;
};

inline RunSettings settings_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  RunSettings settings;
  for (const auto& [name, text] : texts) settings.set(name, text);
  return settings;
}

/// The value of column k in the row that counts as the `index`-th: bit k of the index is a sign, so that
/// every 2^d rows have the mean, the deviation and no correlation.
inline double unit_value(const KnownColumns& columns, std::size_t k, std::size_t index) {
  const double sign = (index >> k & 1U) != 0 ? 1 : -1;
  return columns.mean[k] + sign * columns.deviation[k];
}

/// Where a row is: whose it is, when it happened, and whether it counts.
struct Place {
  std::string person{};
  Seconds time = 0;
  bool counts = true;
};

inline RowBatch rows_of(const PreparedRun& run, const KnownColumns& columns,
                        const std::vector<Place>& places) {
  RowBatch batch(columns.mean.size());
  const std::span<const double> centre = run.bounds().centre(), half_width = run.bounds().half_width();
  std::size_t counted = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    const std::span<double> row = batch.add_row();
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = centre[k] + half_width[k] * unit_value(columns, k, counted);
    }
    if (!places[r].person.empty()) batch.set_person(r, places[r].person);
    if (run.clock()) batch.set_time(r, places[r].time);
    if (places[r].counts) ++counted;
  }
  return batch;
}

inline ObservedErrors errors_of_run(const PreparedRun& run, const KnownColumns& columns, const RowBatch& rows,
                                    std::uint64_t seed) {
  std::optional<Release> last;
  RowFeed feed = run.feed(std::make_unique<RunningStream>(
      MomentStream(run.mechanism(), InsecureTestSeed{seed}), [&](const Release& release) { last = release; }));
  feed.take_rows(rows);
  feed.end_input();
  const Units units = units_of(run.bounds());
  const MeanEstimate mean = running_mean(*last, units);
  const Eigen::MatrixXd covariance = running_covariance(*last, units, Bias::removed).value;
  ObservedErrors errors;
  for (Eigen::Index i = 0; i < mean.value.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double h = units.half_width(i);
    errors.mean.push_back(mean.value(i) - units.centre(i) - h * columns.mean[k]);
    errors.deviation.push_back(std::sqrt(std::max(0.0, covariance(i, i))) - h * columns.deviation[k]);
    for (Eigen::Index j = i + 1; j < mean.value.size(); ++j) {
      errors.correlation.push_back(covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j)));
    }
  }
  return errors;
}

}  // namespace jme::test
