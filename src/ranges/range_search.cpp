#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/ranges/range_search.hpp>

#include "ranges/bins.hpp"
#include "ranges/lattice.hpp"
#include "ranges/staged_search.hpp"

namespace jme {

namespace {

using ranges::EqualBins;
using ranges::lattice;
using ranges::SignedPowers;

// What each stage spends of mu^2.
constexpr std::array<double, RangeSearch::stages> shares{0.4, 0.3, 0.3};
constexpr std::array<std::size_t, RangeSearch::stages> bins{SignedPowers::count, EqualBins::count,
                                                            EqualBins::count};
// Probability that some empty bin of a stage is above its threshold.
constexpr double false_bins = 1e-3;
// The first threshold is at most this share of the records: bins with fewer records would be lost.
constexpr double largest_threshold = 0.1;
// Covers the roundings of the formulas here, towards more noise.
constexpr double upwards = 1 + 0x1p-48;

/// How far the records of one person move the histograms of one stage, in Euclidean length: a record is in
/// one bin of every column at most (src/ranges/GUARANTEES.md#sensitivity).
double sensitivity(const RangeSearchConfig& config) {
  const double moved = config.adjacency == Adjacency::replace_one ? 2 : 1;
  return static_cast<double>(config.records_per_person) *
         std::sqrt(moved * static_cast<double>(config.columns));
}

RangeSearch::Stage stage_of(const RangeSearchConfig& config, double mu, std::size_t number) {
  RangeSearch::Stage stage{};
  stage.bins = bins[number];
  stage.mu = mu * std::sqrt(shares[number]);
  stage.std = sensitivity(config) / stage.mu * upwards;
  // An empty bin's noise is above t deviations with a probability of at most exp(-t^2 / 2) / 2, and rounding
  // to the lattice raises it by half a unit at most.
  const double all = static_cast<double>(stage.bins) * static_cast<double>(config.columns);
  stage.threshold = stage.std * std::sqrt(2 * std::log(all / (2 * false_bins))) + lattice / 2;
  return stage;
}

}  // namespace

RangeSearch::RangeSearch(const RangeSearchConfig& config) : config_(config), mu_(gdp_budget(config.budget)) {
  if (config.columns < 1) throw InvalidParameter("columns", "there must be at least one");
  if (config.records < 1 || static_cast<double>(config.records) > ranges::most_records) {
    throw InvalidParameter("first", static_cast<double>(config.records), "a whole number from 1 to 2^40");
  }
  if (config.records_per_person < 1) throw InvalidParameter("participations", 0, "at least 1");
  for (std::size_t i = 0; i < stages; ++i) stage_[i] = stage_of(config, mu_, i);
}

std::uint64_t RangeSearch::records_needed() const {
  const double needed = std::ceil(stage_[0].threshold / largest_threshold);
  return needed < 0x1p63 ? static_cast<std::uint64_t>(needed) : std::uint64_t{1} << 63;
}

void RangeSearch::check_records() const {
  if (config_.records >= records_needed()) return;
  throw InvalidParameter(
      "first", static_cast<double>(config_.records),
      fmt::format("at least {} with this budget and {} column(s): with fewer records the noise would hide "
                  "every range; nothing was read or spent",
                  records_needed(), config_.columns));
}

std::vector<FoundRange> RangeSearch::find(const MatrixView& cells, const Key& key) const {
  check_records();
  if (cells.columns != config_.columns || cells.rows != config_.records) {
    throw InvalidParameter("first", fmt::format("the search is over {} records of {} columns, and {} of {} "
                                                "were given",
                                                config_.records, config_.columns, cells.rows, cells.columns));
  }
  ranges::StagedSearch search(*this);
  for (std::size_t number = 0; number < stages; ++number) {
    std::vector<double> counts = search.counts(cells);
    ranges::add_noise(counts, stage_[number], number, key);
    search.take(counts);
  }
  return search.result();
}

}  // namespace jme
