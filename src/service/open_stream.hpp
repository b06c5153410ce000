#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <jme/clock/slots.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_rules.hpp>
#include <jme/service/line_log.hpp>
#include <jme/service/write_request.hpp>
#include <jme/store/durable_stream.hpp>

#include "service/journal.hpp"
#include "service/row_body.hpp"

namespace jme::service {

/// What a request brings, read before anything waits for it.
using Content = std::variant<ReadRows, BlockSum>;

[[nodiscard]] std::uint64_t rows_of(const Content& content);
/// How many rows one commit may take, so that there is memory for the releases that they end.
[[nodiscard]] std::uint64_t most_rows_of_commit(const Mechanism& mechanism);

/// A stream that is open for writing. Requests are added one after another, and commit() brings all of them
/// to disk at once. Rows go to the open block: the one that has room or, where steps are slots of time, the
/// slot that is open by the clock. After an exception from any call that is not a refusal, the object must be
/// replaced by a new one, which finds what is on disk.
class OpenStream {
 public:
  /// Opens what is on disk. Releases that `lines` does not have yet are added to it.
  OpenStream(const PreparedRun& run, LineLog& lines, SlotClock& clock);

  /// Looks at the clock. Where steps are slots of time, those that have ended are closed, with rows or
  /// without, and a new stream begins. True where more have ended than are closed at a time: commit(), and
  /// call it again.
  bool look_at_clock();
  /// Takes a request into the next commit. Throws NotYours, Conflict, BudgetExhausted, TooManyRows or
  /// InvalidParameter where it is refused; then nothing was taken.
  WriteAnswer add(const WriteRequest& request, const Content& content);
  /// Everything that was added is on disk, and its releases are in the lines, when the call returns.
  void commit();

  /// Throws BudgetExhausted where the stream's source has no room for it.
  void check_budget() const { stream_.check_budget(); }

  /// Not to be told to anybody where steps are slots of time.
  [[nodiscard]] std::uint64_t rows() const { return rows_before_block_ + open_.rows(); }
  [[nodiscard]] std::uint64_t rows_released() const { return rows_before_block_; }
  /// Without clamped cells: those are told with the answer to the request that brought them, and nowhere
  /// else.
  [[nodiscard]] std::vector<Note> notes() const;
  [[nodiscard]] bool has_begun() const { return journal_.has_begun(); }
  [[nodiscard]] bool is_finished() const;
  /// When the open slot ends; none where there is none.
  [[nodiscard]] std::optional<Seconds> slot_end() const;
  /// From when on look_at_clock() and commit() have something to do if no request comes.
  [[nodiscard]] std::optional<Seconds> due() const;

 private:
  [[nodiscard]] BlockSum::Of sums_of() const { return slots_ ? BlockSum::Of::slot : BlockSum::Of::block; }
  [[nodiscard]] std::int64_t now() const { return static_cast<std::int64_t>(clock_.time()); }
  void open_stored();
  [[nodiscard]] std::vector<std::byte> open_bytes() const;
  [[nodiscard]] WriteAnswer answer_of(const BookEntry& entry) const;
  /// Rows of people that come next are in the window of the open slot.
  void enter_window();
  void check_slot(const WriteRequest& request, std::uint64_t count) const;
  void check_place(const WriteRequest& request, std::uint64_t count, bool is_block) const;
  void take(const Content& content);
  void take_rows(const RowBatch& rows);
  void close_block();
  void close_block_if_full();
  void learn(const Release& release);

  const PreparedRun& run_;
  LineLog& lines_;
  SlotClock& clock_;
  Horizon horizon_;
  std::optional<SlotSchedule> slots_;
  RowMap map_;
  RowRules rules_;
  ReleaseWriter writer_;
  DurableStream stream_;
  Journal journal_;
  BlockSum open_;
  std::uint64_t rows_before_block_ = 0;
  std::map<std::string, std::uint64_t> rows_of_tokens_;  // in the open slot, since the process began
  bool changed_ = false;
  std::vector<std::uint64_t> release_rows_;  // t of each, those that wait for the commit included
};

}  // namespace jme::service
