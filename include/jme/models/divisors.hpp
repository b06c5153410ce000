#pragma once

#include <cstddef>
#include <vector>

#include <jme/moments/release.hpp>

namespace jme {

/// A count is divided by where it is more than this many standard deviations of its own noise...
inline constexpr double known_above = 10;
/// ...and, once it was, until it falls below this many.
inline constexpr double known_until = 5;

/// Which of a release's private counts stand far enough above their noise to be divided by.
struct KnownCounts {
  bool rows = false;
  std::vector<bool> cells{}, pairs{};

  bool operator==(const KnownCounts&) const = default;
};
/// As the release alone says it: above known_above.
[[nodiscard]] KnownCounts known_counts(const Release& release);

/// What the sums of a release are divided by to become averages: public weights, one noisy count of rows, or
/// noisy counts of cells and pairs. NaN stands for a count that is not known well enough, so that whatever
/// is made of it is NaN as well.
class Divisors {
 public:
  enum class Kind { weights, rows, cells };

  /// Of known_counts(release).
  explicit Divisors(const Release& release);
  Divisors(const Release& release, const KnownCounts& known);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Of the sum over column i, and of its square.
  [[nodiscard]] double first(std::size_t i) const { return kind_ == Kind::cells ? cells_[i] : first_; }
  /// Of the product of columns i and j.
  [[nodiscard]] double second(std::size_t i, std::size_t j) const;
  /// Standard deviations of the noise on them; 0 for weights.
  [[nodiscard]] double std_first() const { return std_first_; }
  [[nodiscard]] double std_second(std::size_t i, std::size_t j) const {
    return i == j ? std_first_ : std_second_;
  }

 private:
  Kind kind_;
  double first_, second_, std_first_ = 0, std_second_ = 0;
  std::vector<double> cells_, pairs_;
};

/// Decides release after release which counts are known, so that numbers do not come and go with the noise.
class CountTracker {
 public:
  /// Counts over all rows so far grow: what was known once stays known. Counts over a window, or with
  /// weights that decay, may fall: they are unknown again below known_until.
  enum class Counts { grow, may_fall };

  explicit CountTracker(Counts counts = Counts::may_fall) : counts_(counts) {}
  /// Goes on after a release in which `memory` was known.
  CountTracker(Counts counts, KnownCounts memory);

  /// Of the next release.
  Divisors next(const Release& release);

  /// What was known in the last release; nothing before the first. Public, like the release.
  [[nodiscard]] const KnownCounts& memory() const { return memory_; }

 private:
  Counts counts_;
  KnownCounts memory_;
};

}  // namespace jme
