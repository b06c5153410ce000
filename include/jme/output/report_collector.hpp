#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/models/divisors.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>
#include <jme/output/metadata.hpp>
#include <jme/report/line_chart.hpp>
#include <jme/report/series_sketch.hpp>

namespace jme {

/// Half the width of a 95% band in standard deviations of the noise.
inline constexpr double band_95 = 1.959964;

/// What a report shows of each moment: what was emitted, and what follows from it.
struct ReportContents {
  explicit ReportContents(const RunDescription& run);
  enum class Centre { none, mean, sum };
  Centre centre;            ///< running means, or the workload's own sums where only those are emitted
  bool second = false;      ///< the second moment itself
  bool variance = false;    ///< variances, from a diagonal second moment
  bool covariance = false;  ///< covariance, correlation, principal components
};

/// Keeps what the report will draw of every release, in memory that does not grow with the stream.
class ReportCollector {
 public:
  /// Columns beyond these have no chart of their own.
  static constexpr std::size_t most_charts = 12;

  ReportCollector(const RunDescription& run, std::vector<std::string> columns);

  /// The next release.
  void add(const Release& release);

  /// The newest release; none before the first.
  [[nodiscard]] const std::optional<Release>& last() const { return last_; }
  /// What the newest release is divided by, as the release writer has it; none before the first.
  [[nodiscard]] const std::optional<Divisors>& divisors() const { return divisors_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] const Units& units() const { return units_; }
  [[nodiscard]] const ReportContents& contents() const { return contents_; }
  /// Series of the first columns, at most most_charts of them.
  [[nodiscard]] const std::vector<report::SeriesSketch>& centres() const { return centres_; }
  /// Root mean squares of the noise on a mean and on an entry of the covariance, both in the unit box and
  /// over what is known, at releases spread evenly over the logarithm of t. Empty where they are not shown.
  [[nodiscard]] const report::Series& mean_noise() const { return mean_noise_; }
  [[nodiscard]] const report::Series& covariance_noise() const { return covariance_noise_; }

 private:
  ReportContents contents_;
  Bias bias_;
  std::vector<std::string> columns_;
  Units units_, unit_box_;
  std::vector<report::SeriesSketch> centres_;
  report::Series mean_noise_, covariance_noise_;
  double next_noise_ = 0;
  std::optional<Release> last_;
  CountTracker counts_;
  std::optional<Divisors> divisors_;
};

}  // namespace jme
