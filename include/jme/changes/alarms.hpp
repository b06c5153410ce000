#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/changes/change_test.hpp>
#include <jme/changes/released_sums.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// What to watch in releases: "temp.mean > 38", "temp.mean < 10", "temp.mean changes" or
/// "temp.mean changes sd 3", where 3 bounds the standard deviation of a row in the column's own units.
struct AlarmRule {
  enum class Kind { above, below, changes };
  std::string text;  ///< as it was written
  Kind kind;
  std::string column;
  double limit = 0;            ///< of above and below
  std::optional<double> sd{};  ///< of changes
  std::size_t index = 0;       ///< of the column, once the columns are known
};

struct AlarmOptions {
  std::vector<AlarmRule> rules{};
  /// Of all rules and releases together: how probable it is that any alarm is raised without a cause.
  double level = 0.01;
};

/// What help and errors say a rule may be.
inline constexpr const char* alarm_help =
    "COLUMN.mean > LIMIT, COLUMN.mean < LIMIT, COLUMN.mean changes or COLUMN.mean changes sd S";

/// Throws InvalidParameter("alarm", ...).
[[nodiscard]] AlarmRule parse_alarm(std::string_view text);
/// A list of rules, separated by commas.
[[nodiscard]] std::vector<AlarmRule> parse_alarms(std::string_view text);
/// Finds the columns that are named. Throws InvalidParameter("alarm", ...).
void find_columns(AlarmOptions& options, const std::vector<std::string>& columns);
/// Throws InvalidParameter("alarm", ...) for rules that these releases cannot be watched by: a change where
/// the numbers of rows are private, or of squared noisy rows.
void check_alarms(const AlarmOptions& options, const StreamConfig& config);

/// Where a rule stands at a release.
struct AlarmState {
  bool raised = false;
  bool is_new = false;                    ///< it was not raised at the release before
  std::optional<std::size_t> since{};     ///< t of the release that raised it
  std::optional<std::size_t> change_t{};  ///< changes: rows before the change, at the most probable place
  double evidence = 0;  ///< standard deviations beyond the limit; for changes the value of E_t
  double needed = 0;    ///< the alarm is raised where the evidence reaches this
};

/// Watches the releases of a stream, one after another from the first one. Its states are a function of the
/// releases: whoever reads them again comes to the same ones.
///
/// The level is shared by the rules. A limit is tested in every release at level/n (at level/(t (t+1)) in
/// release t where there is no horizon), on X - limit N, which is linear in what was released and so exactly
/// normal. A change is tested by a ChangeTest; where a rule has no sd, rows may have any law within their
/// bounds (changes/GUARANTEES.md#change-alarms). A limit's alarm ends where its evidence falls below
/// half of what is needed; a change's alarm stays.
class AlarmWatch {
 public:
  /// The columns of `options` are found. Throws InvalidParameter("alarm", ...).
  AlarmWatch(const Mechanism& mechanism, const Units& units, AlarmOptions options);

  /// One state for each rule. Throws StateError for a release out of order.
  const std::vector<AlarmState>& next(const Release& release);

  [[nodiscard]] const AlarmOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<AlarmState>& states() const { return states_; }

 private:
  struct Change {
    std::size_t rule;
    Increments increments;
    ChangeTest test;
    double row_variance;  ///< bound of a row's, in the unit box
    bool any_law;         ///< of rows: the union over releases is taken (D3)
  };
  /// The share of the level that a release has of all of them.
  [[nodiscard]] double share(std::size_t step) const;
  [[nodiscard]] AlarmState limit_state(std::size_t rule, const Release& release) const;
  [[nodiscard]] AlarmState change_state(Change& change, const Release& release, const BlockWeights& weights);
  AlarmOptions options_;
  Units units_;
  Workload workload_;
  Horizon horizon_;
  std::deque<Change> changes_{};
  std::vector<AlarmState> states_;
  std::vector<std::size_t> rows_{};  ///< included in each release, where a change's place is told
  std::size_t step_ = 0, rows_before_ = 0;
};

/// What an alarm of these rules promises, in words for those who see it.
[[nodiscard]] std::string alarm_guarantee(const AlarmOptions& options);

}  // namespace jme
