#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/output/emit.hpp>
#include <jme/output/found_bounds.hpp>
#include <jme/pipeline/bounds_search.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// Everything that a whole run is made from, public before its first row. Plain data; PreparedRun checks it.
struct RunConfig {
  /// Privacy, horizon, workload, method and shapes. The dimension may be left 0 where columns give it. The
  /// norm bound may be left 0 where there are bounds: it is then the square root of the dimension, which no
  /// row in the unit box exceeds.
  StreamConfig stream{};
  /// Names of the columns, in the order of a row. Empty: PreparedRun::adopt_columns tells them later.
  std::vector<std::string> columns{};
  /// Public ranges of `columns`; none: rows are taken as they are.
  std::optional<ColumnBounds> bounds{};
  /// Where they were found by a private search, and are not public knowledge.
  std::optional<BoundsOrigin> bounds_origin{};
  /// The run finds them itself, from the records before its first row: until take_found() they are stand-ins.
  std::optional<BoundsSearchConfig> search{};
  /// The column that says whose row it is, for a stream whose persons_are_limited; empty: none. Rows that
  /// come from elsewhere than a file are given with their persons.
  std::string person{};
  /// Assumed of the input: all rows of a person are in one of its partitions, which come in any order.
  bool persons_in_one_partition = false;
  MissingRules missing{};  ///< what missing cells become; by default they make a row bad
  /// `fail` shows readers of the releases where a run ended. Settings choose `zero` by themselves where counts
  /// are private (on_bad_row_of).
  OnBadRow on_bad_row = OnBadRow::fail;
  /// Without values: mean and covariance, or what the second moment allows.
  EmitOptions emit{};
  /// Where the stream is kept, so that it survives its process; none: it lives in memory.
  std::optional<DurableOptions> state{};
  /// A durable stream leaves a partial last block open for a longer input, instead of releasing it.
  bool leave_open = false;
  std::optional<std::uint64_t> insecure_seed{};  ///< reproducible noise that protects nobody; for tests
  /// Steps are slots of time; none: they are rows.
  std::optional<ClockConfig> clock{};
  /// What a record of CSV is, "lines" or "quoted"; empty for rows that come from elsewhere.
  std::string records{};

  /// What its search found. Throws InvalidParameter where a column has no range; what the search spent stays
  /// spent.
  void take_found(const FoundBounds& found);
};

}  // namespace jme
