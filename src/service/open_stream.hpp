#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <jme/moments/block_sum.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_intake.hpp>
#include <jme/service/line_log.hpp>
#include <jme/service/write_request.hpp>
#include <jme/store/durable_stream.hpp>

#include "service/request_book.hpp"
#include "service/row_body.hpp"

namespace jme::service {

/// What a request brings, read before anything waits for it.
using Content = std::variant<ReadRows, BlockSum>;

/// A stream that is open for writing. Requests are added one after another, and commit() brings all of them
/// to disk at once. After an exception from add() or commit() that is not a refusal, the object must be
/// replaced by a new one, which finds what is on disk.
class OpenStream {
 public:
  /// Opens what is on disk. Releases that `lines` does not have yet are added to it.
  OpenStream(const PreparedRun& run, LineLog& lines);

  /// Takes a request into the next commit. Throws NotYours, Conflict, BudgetExhausted or InvalidParameter
  /// where it is refused; then nothing was taken.
  WriteAnswer add(const WriteRequest& request, const Content& content, std::int64_t now);
  /// Everything that was added is on disk, and its releases are in the lines, when the call returns.
  void commit();

  /// Throws BudgetExhausted where the stream's source has no room for it.
  void check_budget() const { stream_.check_budget(); }

  [[nodiscard]] std::uint64_t rows() const { return rows_before_block_ + open_.rows(); }
  [[nodiscard]] std::uint64_t rows_released() const { return rows_before_block_; }
  [[nodiscard]] bool is_finished() const { return rows() >= horizon_.rows(); }
  [[nodiscard]] std::vector<Note> notes() const { return intake_.notes(); }

 private:
  void begin();
  [[nodiscard]] WriteAnswer answer_of(const BookEntry& entry) const;
  void check_place(const WriteRequest& request, std::uint64_t count, bool is_block) const;
  void take(const Content& content);
  void take_rows(const ReadRows& rows);
  void close_block_if_full();
  void learn(const Release& release);

  const PreparedRun& run_;
  LineLog& lines_;
  Horizon horizon_;
  RowMap map_;
  RowIntake intake_;
  ReleaseWriter writer_;
  DurableStream stream_;
  std::optional<RequestBook> book_;  // from the first request on
  BlockSum open_;
  std::uint64_t rows_before_block_ = 0;
  bool changed_ = false;
  std::uint64_t releases_ = 0;               // those that wait for the commit included
  std::vector<std::uint64_t> release_rows_;  // t of each
};

}  // namespace jme::service
