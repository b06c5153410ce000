#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include <jme/mechanism/mechanism.hpp>
#include <jme/mechanism/release_layout.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// Steps begin, .., end - 1 of a stream (from 0).
struct StepRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// The sums of rows that releases tell, in the unit box: the increments y = A^-1 Yhat of a series that was
/// released by a workload, one after another.
class Increments {
 public:
  Increments(const Workload& workload, const Horizon& horizon);

  /// The block that ends with this release: `rows` are included, `value` is the workload's output times its
  /// rows_per_weight(), in which rows have the weight 1 (prefix: the sum of all rows so far). NaN where a
  /// release before is missing.
  double next(std::size_t step, std::size_t rows, double value);

 private:
  [[nodiscard]] double of_matrix(std::size_t step, double value) const;
  Workload workload_;
  Horizon horizon_;
  std::optional<Filter> matrix_;  ///< of a custom workload
  std::size_t next_step_ = 0, rows_before_ = 0;
  double before_ = 0;
  std::vector<double> blocks_{};  ///< of a window or a matrix: those that it reaches back to
};

/// The released first moment of some columns, and the counts beside it.
class ReleasedSums {
 public:
  explicit ReleasedSums(const Mechanism& mechanism);

  /// One release: `values` as Release::first() has them, sums of columns and then counts, times
  /// rows_per_weight(). NaN stands for a value that is not known.
  void add(std::size_t step, std::size_t rows, const std::vector<double>& values);
  void add(const Release& release);

  [[nodiscard]] const ReleaseLayout& layout() const { return layout_; }
  [[nodiscard]] bool empty() const { return steps_.empty(); }
  /// Rows (or slots) that the release of this step includes. Throws StateError where there is none.
  [[nodiscard]] std::size_t rows(std::size_t step) const;
  /// The step whose release includes `t` rows; none where there is no such release.
  [[nodiscard]] std::optional<std::size_t> step_of(std::size_t t) const;
  [[nodiscard]] std::size_t first_step() const { return steps_.begin()->first; }
  [[nodiscard]] std::size_t last_step() const { return steps_.rbegin()->first; }
  /// The sum over blocks of series `i` of a release's values. Throws StateError where a release that it
  /// needs is missing.
  [[nodiscard]] double sum(std::size_t i, StepRange blocks) const;

 private:
  struct Step {
    std::size_t rows;
    std::vector<double> values, blocks;
  };
  [[nodiscard]] const Step& step(std::size_t step) const;
  ReleaseLayout layout_;
  Workload workload_;
  bool sums_all_rows_;  ///< prefix or mean: two releases tell the sum between them
  std::vector<Increments> increments_;
  std::map<std::size_t, Step> steps_;
};

/// Sums of the weights, and of their squares, that the rows of a block have in its sum; public.
struct BlockWeights {
  double sum, squares;
};
[[nodiscard]] BlockWeights block_weights(const Workload& workload, const Horizon& horizon, std::size_t rows);

}  // namespace jme
