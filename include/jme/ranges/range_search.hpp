#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <jme/base/adjacency.hpp>
#include <jme/base/matrix_view.hpp>
#include <jme/base/values.hpp>
#include <jme/random/key.hpp>

namespace jme {

/// What a private search for the ranges of columns is made from, public before the first record.
struct RangeSearchConfig {
  ApproxDp budget;
  std::size_t columns;
  std::uint64_t records;  ///< how many records it looks at, the first of the input, readable or not
  Adjacency adjacency = Adjacency::replace_one;
  std::uint64_t records_per_person = 1;
};

/// What was found about a column. Everything in it is computed from noisy counts and may be published.
struct FoundRange {
  enum class Kind { not_found, constant, found };
  Kind kind = Kind::not_found;  ///< constant: it has a range, which is so narrow that somebody should look
  double low = 0, high = 0;     ///< not where nothing was found
  double outside = 0;           ///< share of the cells outside, with noise: it may be below 0
  double outside_std = 0;       ///< standard deviation of this noise

  /// More cells lie outside than noise and a thin tail explain, so that means would miss them.
  [[nodiscard]] bool has_many_outside() const;
};

/// Finds ranges of columns that nobody knows beforehand from noisy histograms of the first records, in three
/// stages that share the budget (src/ranges/GUARANTEES.md; docs/theory/ranges.md).
class RangeSearch {
 public:
  /// Throws InvalidParameter for numbers that are out of range. Needs no data.
  explicit RangeSearch(const RangeSearchConfig& config);

  /// One histogram of every column, all of them noised together.
  struct Stage {
    std::size_t bins;  ///< of each column
    double mu;         ///< what it spends, in mu-GDP
    double std;        ///< of the noise on every bin
    double threshold;  ///< an empty bin is above it with a probability of 1e-3 over all columns together
  };
  static constexpr std::size_t stages = 3;
  [[nodiscard]] const std::array<Stage, stages>& stage() const { return stage_; }
  [[nodiscard]] const RangeSearchConfig& config() const { return config_; }
  /// The whole search is mu-GDP.
  [[nodiscard]] double mu() const { return mu_; }
  /// With fewer records nothing useful can come out.
  [[nodiscard]] std::uint64_t records_needed() const;
  /// Throws InvalidParameter("first", ...) where there are fewer.
  void check_records() const;

  /// Spends the budget. `cells` in natural units, NaN where a cell is missing or its record could not be
  /// read. `key` must never serve another search. Throws InvalidParameter unless there are exactly
  /// config().records records, and enough of them, before anything is drawn.
  [[nodiscard]] std::vector<FoundRange> find(const MatrixView& cells, const Key& key) const;

 private:
  RangeSearchConfig config_;
  double mu_;
  std::array<Stage, stages> stage_;
};

}  // namespace jme
