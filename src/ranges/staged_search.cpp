#include "ranges/staged_search.hpp"

#include <jme/filter/filter.hpp>

#include "noise/shaped_noise.hpp"
#include "ranges/bins.hpp"
#include "ranges/lattice.hpp"

namespace jme::ranges {

std::vector<double> StagedSearch::counts(const MatrixView& cells) const {
  const std::size_t bins = search_.stage()[stage_].bins;
  std::vector<double> result(bins * cells.columns, 0.0);
  for (std::size_t column = 0; column < cells.columns; ++column) {
    if (stage_ > 0 && !columns_[column].is_found()) continue;
    const EqualBins equal = stage_ > 0 ? columns_[column].bins() : EqualBins{};
    for (std::size_t record = 0; record < cells.rows; ++record) {
      const double x = cells.at(record, column);
      const auto bin = stage_ > 0 ? equal.bin_of(x) : SignedPowers::bin_of(x);
      if (bin) result[column * bins + *bin] += 1;
    }
  }
  return result;
}

void StagedSearch::take(std::span<const double> noisy) {
  const RangeSearch::Stage& stage = search_.stage()[stage_];
  for (std::size_t column = 0; column < noisy.size() / stage.bins; ++column) {
    const auto of_column = noisy.subspan(column * stage.bins, stage.bins);
    if (stage_ == 0) {
      columns_.emplace_back(of_column, stage);
    } else {
      columns_[column].refine(of_column, stage);
    }
  }
  ++stage_;
}

std::vector<FoundRange> StagedSearch::result() const {
  std::vector<FoundRange> found;
  for (const Column& column : columns_) found.push_back(column.result());
  return found;
}

void add_noise(std::span<double> counts, const RangeSearch::Stage& stage, std::size_t number,
               const Key& key) {
  // A stage draws under a nonce of its own: no draw serves two stages.
  Nonce nonce{};
  nonce.back() = static_cast<std::uint8_t>(number + 1);
  ShapedNoise noise(Filter::identity(1), GaussianSource(key, nonce), Channel::first,
                    NoiseScale::uniform(counts.size(), stage.std / lattice));
  for (double& count : counts) count /= lattice;
  noise.add_to(counts);
  for (double& count : counts) count *= lattice;
}

}  // namespace jme::ranges
