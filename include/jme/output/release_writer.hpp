#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jme/clock/slots.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/models/divisors.hpp>
#include <jme/models/estimate.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>
#include <jme/output/emit.hpp>

namespace jme {

/// The affine map back to natural units.
[[nodiscard]] Units units_of(const ColumnBounds& bounds);

/// Whether counts over the rows that a workload covers can fall again.
[[nodiscard]] CountTracker::Counts counts_of(const Workload& workload);

/// The covariance as it is emitted: with or without its bias, projected where the options ask for it. A
/// projection needs the whole matrix: it is NaN where one entry is.
[[nodiscard]] CovarianceEstimate emitted_covariance(const Release& release, const Units& units,
                                                    const EmitOptions& options, const Divisors& divisors);

/// Private counts of pairs in rows, those of cells on the diagonal. Needs counts of cells and the full second
/// moment.
[[nodiscard]] MatrixEstimate pair_count_matrix(const Release& release);

/// Writes releases as lines of JSON in natural units, every value beside its noise:
/// {"t":..,"mean":[..],"covariance":[[..]],"noise_std":{"mean":[..],"covariance":[[..]]}}.
/// Where steps are slots of time, t counts them, and "time" is when the slot ended. Where counts are private
/// they stand before the values, and exact intervals of the means after them; a
/// value is null as long as its counts are not known. Remembers the last principal components, so that their
/// signs do not change, and which counts were known, so that values do not come and go. A run that goes on
/// writes all its releases again and remembers the same.
class ReleaseWriter {
 public:
  /// `columns` are those that find_columns was given.
  ReleaseWriter(Units units, EmitOptions options, std::vector<std::string> columns,
                CountTracker::Counts counts = CountTracker::Counts::may_fall,
                std::optional<SlotSchedule> slots = std::nullopt);

  [[nodiscard]] std::string line(const Release& release);
  /// What is remembered of the last release; public.
  ComponentTracker& components() { return components_; }
  CountTracker& counts() { return counts_; }

 private:
  struct Entry;
  struct Named;
  [[nodiscard]] std::vector<Named> counts_of_release(const Release& release) const;
  [[nodiscard]] Entry entry(const EmitItem& item, const Release& release, const Divisors& divisors,
                            const RunningMoments* moments);
  [[nodiscard]] std::string key(const EmitItem& item) const;

  Units units_;
  EmitOptions options_;
  std::vector<std::string> columns_;
  bool needs_moments_, several_regressions_, emits_products_, emits_means_;
  ComponentTracker components_;
  CountTracker counts_;
  std::optional<SlotSchedule> slots_;
};

}  // namespace jme
