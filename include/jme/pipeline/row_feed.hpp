#pragma once

#include <cstddef>
#include <functional>
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
#include <jme/pipeline/row_rules.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/pipeline/timed_rows.hpp>
#include <jme/rows/row_batch.hpp>
#include <jme/rows/row_source.hpp>

namespace jme {

/// Takes rows all the way into a stream, whatever front they come from: the one loop over rows whose steps
/// are rows, or slots of rows' own times. PreparedRun::feed makes one.
///
///   RowFeed feed = run.feed(publish);
///   feed.take_all(source);
///   feed.end_input();
class RowFeed {
 public:
  /// `map`: what sums of blocks must have been made with. `times`: rows come with times of their own, and are
  /// released all together by end_input(). `resumes`: rows that the stream has do not come again.
  RowFeed(RowRules rules, const Horizon& horizon, const RowMap& map, std::unique_ptr<RunningStream> stream,
          std::optional<TimedRows> times = std::nullopt, bool resumes = false);

  /// Comes before the first row: goes on after the rows that earlier processes committed, with the people
  /// that they had, and publishes what they released. The source goes on at the place of the last commit
  /// (SealedParts::place), if there is one. Without this call the rows come again from the first one, and are
  /// compared. Throws StateError where nothing outlives the process.
  void resume();

  struct Reading {
    /// The input has no end of its own: the last row is that of the horizon.
    bool ends_at_horizon = false;
    /// Each batch ends where its block ends, so that the source then stands after the last row of the block.
    bool batches_end_with_blocks = false;
    /// Called again and again between rows. May throw to end the reading.
    std::function<void()> between = {};
  };
  /// Takes all rows of the source. Each release that may leave the process does so before the rows after its
  /// batch are read. Throws what the source and the stream throw; rows before the fault are taken.
  void take_all(RowSource& source, const Reading& reading);
  void take_all(RowSource& source) { take_all(source, Reading()); }

  /// Takes the next row, in natural units, where a NaN is a missing cell; throws what RowRules::take and
  /// RunningStream::push throw.
  void push(std::span<const double> row);
  /// Takes all of the rows or, where one of them is refused or lies past the horizon, none. A durable stream
  /// compares rows that come again one after another, and may find a difference only after some of them.
  void push_rows(const MatrixView& rows);

  // The same in two steps, for rows that come in several pieces: first every piece is checked, then all are
  // taken.
  /// Throws BudgetExhausted unless the horizon leaves room for this many more rows.
  void check_room(std::size_t rows) const;
  /// The same for rows that are summed for one block: a slot of time has any number of them.
  void check_block_room(std::size_t rows) const;
  /// Throws DataError for the first row that would be refused; `before` more rows come ahead of these.
  void check_rows(const MatrixView& rows, std::size_t before = 0) const { rules_.check(rows, before); }
  void take_rows(const MatrixView& rows);
  /// The same where rows have persons or times.
  void take_rows(const RowBatch& rows) { take(rows, {}); }

  [[nodiscard]] bool takes_times() const { return timed_.has_value(); }
  /// Where rows have times of their own: the slots that they are in, so far.
  [[nodiscard]] const TimedRows& timed() const { return *timed_; }
  /// No more rows come (RunningStream::end_input): slots are released now.
  void end_input();

  /// Takes a whole block whose rows were summed elsewhere (RunningStream::push_block). Throws
  /// InvalidParameter for sums that were made with other columns, bounds or rules than this run has, and
  /// where rows per person are limited: sums do not say whose rows they hold.
  void push_block(std::string_view id, const BlockSum& block);

  [[nodiscard]] RunningStream& stream() const { return *stream_; }
  [[nodiscard]] RowRules& rules() { return rules_; }
  [[nodiscard]] const RowRules& rules() const { return rules_; }
  /// Counts of what was changed; only the owner of the rows may see them.
  [[nodiscard]] std::vector<Note> notes() const { return timed_ ? timed_->notes(rules_) : rules_.notes(); }

 private:
  /// The next batch; false at the end.
  bool next(RowSource& source, RowBatch& batch, const Reading& reading) const;
  [[nodiscard]] bool is_full() const { return stream_->rows() >= horizon_.rows(); }
  void take(const RowBatch& batch, const Reading& reading);
  /// As many of the rows as are taken together, from `begin` on.
  [[nodiscard]] std::size_t rows_of_piece(std::size_t most) const;
  /// Up to the end of the open block.
  [[nodiscard]] std::size_t rows_of_block() const;
  void push(const RowRules::Taken& taken);
  void learn();
  [[nodiscard]] bool is_at_block_end() const;
  [[nodiscard]] bool has_open_rows() const;
  /// What the commit of the rows so far has besides.
  void seal();
  [[nodiscard]] SourcePlace place() const;
  RowRules rules_;
  Horizon horizon_;
  RowMap map_;
  std::unique_ptr<RunningStream> stream_;
  std::size_t tile_;  // rows that are mapped at a time
  /// Whether what a block releases, or whose rows it has, must be known before the rows after it.
  bool waits_for_blocks_;
  std::optional<TimedRows> timed_;  // where rows have times of their own
  bool has_blocks_ = false, is_whole_ = false;
  const RowSource* source_ = nullptr;  // whose rows are being taken
  SourcePlace place_at_end_{};         // of the last one that was
  std::size_t rows_to_come_ = 0;       // of its last batch
  std::uint64_t rows_to_skip_ = 0;     // that the stream has
};

}  // namespace jme
