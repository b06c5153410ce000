#include <algorithm>
#include <cmath>

#include <jme/models/covariance.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_collector.hpp>

namespace jme {

namespace {

/// Two noise levels at times whose ratio is below this share a pixel.
constexpr double noise_spacing = 1.015;

bool emits(const RunDescription& run, std::initializer_list<Emit> kinds) {
  return std::any_of(run.emit.values.begin(), run.emit.values.end(), [&](const EmitItem& item) {
    return std::find(kinds.begin(), kinds.end(), item.kind) != kinds.end();
  });
}

// Over entries that are known; NaN where none is.
double root_mean_square(const Eigen::MatrixXd& values) {
  const Eigen::ArrayXXd known = values.array().isNaN().select(0.0, values.array());
  return std::sqrt(known.square().sum() / static_cast<double>((values.array() == values.array()).count()));
}

}  // namespace

ReportContents::ReportContents(const RunDescription& run) : centre(Centre::none) {
  using enum Emit;
  const bool full = run.mechanism.config().second == SecondMoment::full;
  if (emits(run, {mean, density, regression})) {
    centre = Centre::mean;
  } else if (emits(run, {first})) {
    centre = Centre::sum;
  }
  this->covariance = full && emits(run, {Emit::covariance, correlation, precision, pca, regression, density});
  this->variance = !full && emits(run, {Emit::covariance});
  this->second = emits(run, {Emit::second});
}

ReportCollector::ReportCollector(const RunDescription& run, std::vector<std::string> columns)
    : contents_(run),
      bias_(run.emit.bias),
      columns_(std::move(columns)),
      units_(units_of(run.bounds)),
      unit_box_(Units::identity(columns_.size())),
      counts_(counts_of(run.mechanism.workload_first())) {
  if (contents_.centre != ReportContents::Centre::none) {
    centres_.resize(std::min(columns_.size(), most_charts));
  }
}

void ReportCollector::add(const Release& release) {
  last_ = release;
  divisors_ = counts_.next(release);
  const auto t = static_cast<double>(release.rows());
  if (!centres_.empty()) {
    const VectorEstimate centre = contents_.centre == ReportContents::Centre::mean
                                      ? running_mean(release, units_, *divisors_)
                                      : natural_first(release, units_);
    // A mean over a noisy count has an exact interval, which is not the same on both sides.
    const bool counted =
        contents_.centre == ReportContents::Centre::mean && divisors_->kind() != Divisors::Kind::weights;
    MeanInterval interval;
    if (counted) interval = mean_interval(release, units_);
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      if (counted) {
        centres_[i].add(t, centre.value(k), interval.low(k), interval.high(k));
      } else {
        centres_[i].add(t, centre.value(k), band_95 * centre.noise_std(k));
      }
    }
  }
  if (t < next_noise_) return;
  next_noise_ = noise_spacing * t;
  const auto put = [&](report::Series& series, double noise) {
    if (std::isnan(noise)) return;
    series.x.push_back(t);
    series.y.push_back(noise);
  };
  if (contents_.centre == ReportContents::Centre::mean) {
    put(mean_noise_, root_mean_square(running_mean(release, unit_box_, *divisors_).noise_std));
  }
  if (contents_.covariance) {
    put(covariance_noise_,
        root_mean_square(running_covariance(release, unit_box_, bias_, *divisors_).noise_std));
  }
  if (contents_.variance) {
    put(covariance_noise_,
        root_mean_square(running_variance(release, unit_box_, bias_, *divisors_).noise_std));
  }
}

}  // namespace jme
