#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <jme/clock/slots.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/output/emit.hpp>
#include <jme/output/metadata.hpp>
#include <jme/pipeline/left_out_records.hpp>
#include <jme/pipeline/row_feed.hpp>
#include <jme/pipeline/row_rules.hpp>
#include <jme/pipeline/run_config.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/pipeline/timed_rows.hpp>
#include <jme/store/durable_stream.hpp>
#include <jme/store/stream_settings.hpp>

namespace jme {

/// A run as its configuration describes it, checked before anything is opened and without taking the memory
/// of a stream. The input then says how many columns there are and what they are called, where the
/// configuration left that open.
class PreparedRun {
 public:
  /// Throws InvalidParameter for every fault that can be found without the data.
  explicit PreparedRun(RunConfig config);
  PreparedRun(const PreparedRun&) = delete;  // descriptions refer to it
  PreparedRun& operator=(const PreparedRun&) = delete;

  /// The columns of the input. Throws InvalidParameter where they contradict the configuration.
  /// Columns that the configuration names are adopted already.
  void adopt_columns(std::vector<std::string> names);

  /// Whether the configuration says how many columns there are. Before adopt_columns(), a run that does not
  /// know it has the mechanism for a stand-in dimension.
  [[nodiscard]] bool dimension_is_known() const { return dimension_is_known_; }
  [[nodiscard]] const Mechanism& mechanism() const { return mechanism_; }
  [[nodiscard]] const EmitOptions& emit() const { return config_.emit; }
  /// Options of the configuration that change nothing.
  [[nodiscard]] const std::vector<UnusedEmitOption>& unused_emit_options() const { return unused_; }

  // From adopt_columns() on.
  [[nodiscard]] const std::vector<std::string>& columns() const { return config_.columns; }
  [[nodiscard]] const ColumnBounds& bounds() const { return bounds_; }
  [[nodiscard]] const MissingCells& missing() const { return missing_; }
  /// The records of the input that come before the first row: they were searched for bounds, and belong to no
  /// row of this run, whatever is in them. Throws StateError where the run is durable and its folder has no
  /// such search.
  [[nodiscard]] LeftOutRecords left_out() const;
  /// Where steps are slots of time: how they lie. A live run that was given no beginning learns it from
  /// begin_at().
  [[nodiscard]] const std::optional<ClockConfig>& clock() const { return config_.clock; }
  [[nodiscard]] SlotSchedule schedule() const;
  void begin_at(Seconds start) { start_ = start; }
  /// What takes rows to the slots of their own times, where steps are such slots.
  [[nodiscard]] TimedRows timed_rows() const;
  /// Slots of a window in which the rows of a person are limited; 1 where they are not.
  [[nodiscard]] std::size_t slots_of_window() const;
  /// After which time a durable live run keeps the open slot again: 20 commit intervals, by default a second.
  [[nodiscard]] std::chrono::milliseconds keep_interval() const {
    return 20 * config_.state.value_or(DurableOptions{}).commit_interval;
  }
  /// What readers of the releases must know. Refers to this run.
  [[nodiscard]] RunDescription description() const;
  /// What becomes of rows on their way to the stream.
  [[nodiscard]] RowRules rules() const;
  /// The stream itself, plain or durable. Throws StateError as DurableStream does.
  [[nodiscard]] std::unique_ptr<RunningStream> open(RunningStream::Publish publish) const;
  /// The durable stream itself, for fronts that keep more than releases beside it. Throws InvalidParameter
  /// where the configuration has no state, and StateError as DurableStream does.
  [[nodiscard]] DurableStream open_durable() const;
  /// Throws BudgetExhausted where a durable run, if it began now, would spend more on its source than max_mu.
  /// Opens and writes nothing.
  void check_budget() const;
  /// Both together, for rows that are in memory. Throws InvalidParameter where records of the input are left
  /// out: rows in memory have no records before them.
  [[nodiscard]] RowFeed feed(RunningStream::Publish publish) const;
  /// What takes rows of any input to a stream that open() has opened. `resumes`: rows that it has do not come
  /// again.
  [[nodiscard]] RowFeed feed(std::unique_ptr<RunningStream> stream, bool resumes = false) const;
  /// What sums of blocks of this run must be made with: the stream's map, and a digest of the columns and of
  /// every setting that rows depend on.
  [[nodiscard]] RowMap row_map() const;

 private:
  [[nodiscard]] StreamConfig checked_stream();
  void adopt_dimension(std::size_t dimension);
  /// Whether rows are in the slots of their own times.
  [[nodiscard]] bool has_times() const { return config_.clock && !config_.clock->is_by_arrival(); }
  [[nodiscard]] Settings settings_of_rows() const;
  [[nodiscard]] DurableOptions durable_options() const;

  RunConfig config_;
  bool dimension_is_known_, norm_bound_is_default_ = false;
  std::vector<UnusedEmitOption> unused_;
  std::optional<Seconds> start_{};
  StreamConfig stream_;
  Mechanism mechanism_;
  ColumnBounds bounds_;
  MissingCells missing_;
};

}  // namespace jme
