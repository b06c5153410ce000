#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include <jme/moments/moment_stream.hpp>
#include <jme/store/durable_stream.hpp>

#include "store/block_digest.hpp"
#include "store/commit.hpp"
#include "store/stream_store.hpp"

namespace jme {

/// Rows that come again are compared; what is new gets noise, and waits in `next` for its commit.
struct DurableStream::Impl {
  using Clock = std::chrono::steady_clock;

  Impl(const Mechanism& design, const DurableOptions& with);

  [[nodiscard]] bool is_replaying() const { return rows < rows_before; }
  /// Throws StateError after a commit that failed: it may or may not be on disk, which the next process that
  /// opens the stream will find out.
  void check_whole() const;
  void check_is_new() const;

  void add_rows(const MatrixView& part, const MatrixView& as_read);
  const Release& add_block(const BlockSum& block, std::string_view id);
  Release push_block(std::string_view id, const BlockSum& block);
  void resume_at(std::uint64_t at);
  void begin_new();
  void end_input(PartialBlock partial);
  void commit();
  [[nodiscard]] Clock::time_point due() const;

  void check_widths(const MatrixView& part, const MatrixView& as_read) const;
  [[nodiscard]] std::size_t rows_to_block_end();
  void replay(const MatrixView& as_read);
  void compare(const store::StoredRelease& release, const store::Tag& now) const;
  void take(const MatrixView& part, const MatrixView& as_read);
  void begin();
  [[nodiscard]] Key noise_key() const;
  [[nodiscard]] Release unpacked(const store::StoredRelease& release) const;
  /// Of the new rows, those of blocks that ended.
  [[nodiscard]] std::uint64_t rows_of_whole_blocks() const;
  void add_pending(const Release& release, const store::Tag& digest, std::optional<store::Tag> id = {});
  template <class Write>
  void write(const Write& to_disk);

  Mechanism mechanism;
  DurableOptions options;
  store::StreamStore store;
  std::optional<MomentStream> stream;            // from the first new row on
  std::optional<StreamState> stored_state;       // until then, of a stream that goes on
  std::optional<store::BlockDigest> digest;      // of the rows that come
  std::optional<store::StoredRelease> replayed;  // whose rows are coming again
  std::optional<Release> last_replayed;          // while nothing newer was made
  bool has_made_release = false;
  store::Commit next;                       // its sealed parts are those of the last commit until they change
  bool has_new_parts = false;               // they have changed
  std::vector<Release> waiting;             // those of `next`
  std::optional<StreamState> at_block_end;  // the state after `next.releases`, where the stream has moved on
  std::deque<Release> ready;                // on disk
  std::optional<Release> given;
  std::uint64_t rows = 0, committed_rows = 0, rows_before = 0;
  std::uint64_t committed_noise = 0;  // noise steps that are on disk
  bool ended = false, broken = false;
  Clock::time_point last_commit{};
  Clock::duration last_duration{};
};

}  // namespace jme
