#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <jme/ranges/range_search.hpp>

namespace jme {

/// Under which terms bounds were found that nobody knew beforehand.
struct BoundsOrigin {
  std::uint64_t first;  ///< the first so many records of the input were searched, readable or not
  ApproxDp budget;
  double mu;  ///< what the budget allows
  Adjacency adjacency = Adjacency::replace_one;
  std::uint64_t participations = 1;  ///< records one person may have among them
  bool per_person = false;  ///< they were limited by ids: a person has so many here, and others elsewhere
  bool insecure = false;    ///< the noise came from a test seed: protects nobody
  std::string source{}, stream{};  ///< under which a ledger has the search; empty where none has it
  /// The run that uses the bounds takes these records too, and pays for them twice. Otherwise it leaves them
  /// out.
  bool same_rows = false;
  /// Places of records are no public fact of the run, as where steps are slots of time: a row more or less
  /// moves another one from the records that were searched into the run.
  bool rows_move = false;

  /// Throws InvalidParameter as RangeSearch does. The number of columns plays no part.
  [[nodiscard]] static BoundsOrigin of(const RangeSearchConfig& search, bool insecure);
  /// How many records at the beginning of its input the run leaves out.
  [[nodiscard]] std::uint64_t left_out() const { return same_rows ? 0 : first; }
  /// mu-GDP of the search together with a run that is `run`-GDP
  /// (src/ranges/GUARANTEES.md#together-with-a-run).
  [[nodiscard]] double mu_with(double run) const;
};

/// What a search for bounds releases.
struct FoundBounds {
  BoundsOrigin origin;
  std::vector<std::string> columns;
  std::vector<FoundRange> ranges;  ///< of these columns
};

/// One object: the bounds of the columns that have some, the terms of the search, everything that is known
/// about every column, and the privacy statement.
[[nodiscard]] nlohmann::ordered_json found_bounds_json(const FoundBounds& found);

/// The terms as they stand there.
[[nodiscard]] nlohmann::ordered_json origin_json(const BoundsOrigin& origin);

/// What a search promises, in words.
[[nodiscard]] std::vector<std::string> search_statement(const BoundsOrigin& origin);

/// What the owner of the data should know about a column before its bounds are used; empty where nothing is
/// to be said. Made from noisy counts alone.
[[nodiscard]] std::string warning_about(const FoundRange& range);

}  // namespace jme
