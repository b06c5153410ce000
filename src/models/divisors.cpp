#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/models/divisors.hpp>

namespace jme {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Fewer rows than one have no average, however little noise there is: the nearest whole number must be one
// or more.
constexpr double fewest_rows = 0.5;

bool is_known(double count, double unit, double deviation, double limit) {
  return count * unit >= fewest_rows && count > limit * deviation;
}

// Whether a count is known that was known before or was not.
class Rule {
 public:
  Rule(double unit, double keep) : unit_(unit), keep_(keep) {}

  [[nodiscard]] bool operator()(double count, double deviation, bool before) const {
    return is_known(count, unit_, deviation, before ? keep_ : known_above);
  }
  [[nodiscard]] std::vector<bool> operator()(std::span<const double> counts, double deviation,
                                             const std::vector<bool>& before) const {
    if (!before.empty() && before.size() != counts.size()) {
      throw InvalidParameter("counts", "those before are of another stream");
    }
    std::vector<bool> result(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      result[i] = (*this)(counts[i], deviation, !before.empty() && before[i]);
    }
    return result;
  }

 private:
  double unit_, keep_;
};

KnownCounts known(const Release& release, const KnownCounts& before, double keep) {
  const Rule rule(release.count_unit(), keep);
  return {.rows = release.row_count() && rule(*release.row_count(), release.std_rows(), before.rows),
          .cells = rule(release.counts(), release.std_count(), before.cells),
          .pairs = rule(release.pair_counts(), release.std_pair_count(), before.pairs)};
}

/// Nothing is divided by less than one row.
double at_least_one(double count, double unit) {
  return std::max(count, 1 / unit);
}

std::vector<double> where(std::span<const double> counts, const std::vector<bool>& known, double unit) {
  std::vector<double> result(counts.size(), unknown);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (known[i]) result[i] = at_least_one(counts[i], unit);
  }
  return result;
}

Divisors::Kind kind_of(const Release& release) {
  if (release.layout().cell_counts) return Divisors::Kind::cells;
  return release.layout().row_count ? Divisors::Kind::rows : Divisors::Kind::weights;
}

}  // namespace

KnownCounts known_counts(const Release& release) {
  return known(release, {}, known_above);
}

Divisors::Divisors(const Release& release) : Divisors(release, known_counts(release)) {}

Divisors::Divisors(const Release& release, const KnownCounts& known)
    : kind_(kind_of(release)), first_(release.weight_first()), second_(release.weight_second()) {
  if (kind_ == Kind::rows) {
    first_ = second_ = known.rows ? at_least_one(*release.row_count(), release.count_unit()) : unknown;
    std_first_ = std_second_ = release.std_rows();
  }
  if (kind_ == Kind::cells) {
    std_first_ = release.std_count();
    std_second_ = release.std_pair_count();
    cells_ = where(release.counts(), known.cells, release.count_unit());
    pairs_ = where(release.pair_counts(), known.pairs, release.count_unit());
  }
}

double Divisors::second(std::size_t i, std::size_t j) const {
  if (kind_ != Kind::cells) return second_;
  if (i == j) return cells_[i];
  return pairs_[i < j ? pair_index(i, j, cells_.size()) : pair_index(j, i, cells_.size())];
}

CountTracker::CountTracker(Counts counts, KnownCounts memory) : counts_(counts), memory_(std::move(memory)) {}

Divisors CountTracker::next(const Release& release) {
  const double keep = counts_ == Counts::grow ? 0 : known_until;
  memory_ = known(release, memory_, keep);
  return Divisors(release, memory_);
}

}  // namespace jme
