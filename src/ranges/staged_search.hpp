#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/random/key.hpp>
#include <jme/ranges/range_search.hpp>

#include "ranges/rules.hpp"

namespace jme::ranges {

/// A search that goes on stage by stage: cells are only counted, and whatever is decided is decided from
/// counts with noise.
class StagedSearch {
 public:
  explicit StagedSearch(const RangeSearch& search) : search_(search) {}

  /// The histograms of the present stage, column after column. Without noise: SECRET.
  [[nodiscard]] std::vector<double> counts(const MatrixView& cells) const;
  /// Takes them with noise, and goes on to the next stage.
  void take(std::span<const double> noisy);
  [[nodiscard]] std::vector<FoundRange> result() const;

  [[nodiscard]] std::size_t stage() const { return stage_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }  ///< after the first stage

 private:
  const RangeSearch& search_;
  std::size_t stage_ = 0;
  std::vector<Column> columns_;
};

/// Adds the stage's noise to counts: whole numbers of a public lattice, from the draws of this key that are
/// the stage's own.
void add_noise(std::span<double> counts, const RangeSearch::Stage& stage, std::size_t number, const Key& key);

}  // namespace jme::ranges
