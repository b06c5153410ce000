#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jme/columns/missing.hpp>
#include <jme/output/found_bounds.hpp>
#include <jme/pipeline/person_limit.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/ranges/range_search.hpp>
#include <jme/rows/row_source.hpp>
#include <jme/store/durable_search.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// What a search for bounds is made from, public before the first record.
struct BoundsSearchConfig {
  RangeSearchConfig search;
  std::vector<std::string> columns;
  /// The column that says whose record it is; then only the first search.records_per_person of a person
  /// count. Empty: nobody is limited.
  std::string person{};
  OnBadRow on_bad_row = OnBadRow::fail;
  /// Where the search is kept and charged; none: it is on no ledger.
  std::optional<DurableOptions> state{};
  std::optional<std::uint64_t> insecure_seed{};  ///< reproducible noise that protects nobody; for tests

  /// The terms of the search, known before it is made.
  [[nodiscard]] BoundsOrigin origin() const;
};

/// Throws InvalidParameter where a file of bounds says other terms than the search had that a state folder
/// knows by these settings: what search and run promise together would be wrong.
void check_terms(const BoundsOrigin& origin, const Settings& kept);

/// From the settings of a run of the same names. Throws InvalidParameter.
[[nodiscard]] BoundsSearchConfig bounds_search_config(const RunSettings& settings);

/// Takes the first records of an input, and finds ranges of their columns. Every record counts, readable or
/// not, so that which records are searched is fixed by their places.
class BoundsSearch {
 public:
  /// Throws InvalidParameter for every fault that can be found without the data, and where nothing useful can
  /// come out.
  explicit BoundsSearch(BoundsSearchConfig config);

  [[nodiscard]] const RangeSearch& search() const { return search_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return config_.columns; }
  /// A missing cell is in no bin, whatever a later run makes of it.
  [[nodiscard]] std::vector<OnMissing> rules() const;

  /// Whether it has all of its records; further ones are none of its business.
  [[nodiscard]] bool is_full() const { return records() == config_.search.records; }
  [[nodiscard]] std::uint64_t records() const { return cells_.size() / config_.columns.size(); }
  /// Whether batches must have the bytes of records, by which a run recognises them that leaves them out:
  /// what is read from them decides nothing about that.
  [[nodiscard]] bool needs_records() const { return config_.state.has_value(); }
  /// The next records, in natural units, with their persons where these are limited. How they are divided
  /// into batches changes nothing.
  void add(const RowBatch& batch);
  /// Adds the first records of the source, until it is full or the source ends.
  void take_all(RowSource& source);
  /// The input has no further record. For inputs whose number of records is private: those that are missing
  /// are records without cells, so that nothing tells whether they came.
  void end_with_absent();

  /// Spends the budget, each time it is called, unless it is kept: then the same records give what was
  /// released before. Throws DataError where the input had fewer records, and what DurableSearch throws; then
  /// nothing was drawn.
  [[nodiscard]] FoundBounds find() const;

 private:
  [[nodiscard]] std::vector<FoundRange> search_anew() const;
  [[nodiscard]] std::vector<FoundRange> search_once() const;
  BoundsSearchConfig config_;
  RangeSearch search_;
  std::optional<PersonLimit> limit_;
  std::vector<double> cells_;
  RecordChain records_read_;
};

}  // namespace jme
