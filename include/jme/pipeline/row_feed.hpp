#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jme/base/horizon.hpp>
#include <jme/base/matrix_view.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/pipeline/note.hpp>
#include <jme/pipeline/row_intake.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/pipeline/timed_rows.hpp>

namespace jme {

/// Takes rows that are in memory all the way into a stream: what `jme run` does with the rows of a file, with
/// the same numbers. A NaN is a missing cell. PreparedRun::feed makes one.
class RowFeed {
 public:
  /// `map`: what sums of blocks must have been made with.
  RowFeed(RowIntake intake, const Horizon& horizon, const RowMap& map, std::unique_ptr<RunningStream> stream);

  /// Comes before the first row: goes on after the rows that earlier processes committed
  /// (RunningStream::resume), with the people that they had.
  void resume();

  /// Takes the next row, in natural units; throws what RowIntake::take and RunningStream::push throw.
  void push(std::span<const double> row);
  /// The same where rows per person are limited.
  void push(std::span<const double> row, const PersonId& person);
  /// Takes all of the rows or, where one of them is refused or lies past the horizon, none. A durable stream
  /// compares rows that come again one after another, and may find a difference only after some of them.
  void push_rows(const MatrixView& rows);
  void push_rows(const MatrixView& rows, std::span<const PersonId> persons);

  // The same in two steps, for rows that come in several pieces: first every piece is checked, then all are
  // taken.
  /// Throws BudgetExhausted unless the horizon leaves room for this many more rows.
  void check_room(std::size_t rows) const;
  /// The same for rows that are summed for one block: a slot of time has any number of them.
  void check_block_room(std::size_t rows) const;
  /// Throws DataError for the first row that would be refused; `before` more rows come ahead of these.
  void check_rows(const MatrixView& rows, std::size_t before = 0) const { intake_.check_rows(rows, before); }
  void take_rows(const MatrixView& rows);
  void take_rows(const MatrixView& rows, std::span<const PersonId> persons);

  /// From now on rows come with times of their own, and are released all together by end_input(). Comes
  /// before the first row.
  void take_times(TimedRows rows) { timed_.emplace(std::move(rows)); }
  [[nodiscard]] bool takes_times() const { return timed_.has_value(); }
  /// What is doubtful about the times (TimedRows::doubts); none also where rows have no times.
  [[nodiscard]] std::optional<std::string> doubts_of_times(std::string_view unit_setting) const {
    return timed_ ? timed_->doubts(unit_setting) : std::nullopt;
  }
  /// Rows that were checked, each with its time (none: it is a bad row) and, where rows per person are
  /// limited, its person. A row whose time is outside of the schedule counts nowhere. Throws DataError for a
  /// row without a time where bad rows fail; then it takes none of these.
  void take_rows(const MatrixView& rows, std::span<const std::optional<Seconds>> times,
                 std::span<const PersonId> persons);
  /// No more rows come (RunningStream::end_input): slots are released now.
  void end_input();

  /// Takes a whole block whose rows were summed elsewhere (RunningStream::push_block). Throws
  /// InvalidParameter for sums that were made with other columns, bounds or rules than this run has, and
  /// where rows per person are limited: sums do not say whose rows they hold.
  void push_block(std::string_view id, const BlockSum& block);

  [[nodiscard]] RunningStream& stream() const { return *stream_; }
  [[nodiscard]] const RowIntake& intake() const { return intake_; }
  /// Counts of what was changed; only the owner of the rows may see them.
  [[nodiscard]] std::vector<Note> notes() const { return timed_ ? timed_->notes(intake_) : intake_.notes(); }

 private:
  void learn();
  void keep_people();
  RowIntake intake_;
  Horizon horizon_;
  RowMap map_;
  std::unique_ptr<RunningStream> stream_;
  bool fills_from_releases_;
  std::size_t tile_;                  // rows that are mapped at a time
  std::optional<TimedRows> timed_{};  // where rows have times of their own
  bool has_blocks_ = false;
  std::vector<double> row_;
};

}  // namespace jme
