#pragma once

#include <string>

#include <jme/columns/bounds.hpp>
#include <jme/models/estimate.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>
#include <jme/output/emit.hpp>

namespace jme {

/// The affine map back to natural units.
[[nodiscard]] Units units_of(const ColumnBounds& bounds);

/// The covariance as it is emitted: with or without its bias, projected where the options ask for it.
[[nodiscard]] CovarianceEstimate emitted_covariance(const Release& release, const Units& units,
                                                    const EmitOptions& options);

/// Writes releases as lines of JSON in natural units, every value beside its noise:
/// {"t":..,"mean":[..],"covariance":[[..]],"noise_std":{"mean":[..],"covariance":[[..]]}}.
/// Remembers the last principal components, so that their signs do not change.
class ReleaseWriter {
 public:
  /// `columns` are those that find_columns was given.
  ReleaseWriter(Units units, EmitOptions options, std::vector<std::string> columns);

  [[nodiscard]] std::string line(const Release& release);
  /// What is remembered of the last release; public.
  ComponentTracker& components() { return components_; }

 private:
  struct Entry;
  [[nodiscard]] Entry entry(const EmitItem& item, const Release& release, const RunningMoments* moments);
  [[nodiscard]] std::string key(const EmitItem& item) const;

  Units units_;
  EmitOptions options_;
  std::vector<std::string> columns_;
  bool needs_moments_, several_regressions_;
  ComponentTracker components_;
};

}  // namespace jme
