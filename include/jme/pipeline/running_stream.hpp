#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <jme/base/matrix_view.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/moments/release.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// Rows in, releases out in their order: in memory, or durable. PreparedRun::open makes one.
class RunningStream {
 public:
  /// Called with each release that may leave the process, inside the call that made it possible.
  using Publish = std::function<void(const Release&)>;

  RunningStream(MomentStream stream, Publish publish)
      : in_memory_(std::move(stream)), publish_(std::move(publish)) {}
  /// `leave_open`: the end of the input leaves a partial block open.
  RunningStream(DurableStream stream, bool leave_open, Publish publish)
      : durable_(std::move(stream)), leave_open_(leave_open), publish_(std::move(publish)) {}
  RunningStream(const RunningStream&) = delete;
  RunningStream& operator=(const RunningStream&) = delete;
  ~RunningStream() = default;

  /// RAW DATA. For audits: called with everything that the stream takes from then on.
  struct Watch {
    std::function<void(const MatrixView&)> rows{};
    std::function<void(const BlockSum&)> block{};
  };
  void watch(Watch watch) { watch_ = std::move(watch); }

  /// Takes the next rows, in the unit box where there are bounds. `as_read`: the rows before missing cells
  /// were filled (DurableStream::add_rows). What a durable stream releases is published by publish_due().
  void add_rows(const MatrixView& rows, const MatrixView& as_read);
  /// A block whose rows were summed elsewhere.
  void add_block(const BlockSum& block);
  /// The same, and publishes it; a durable stream knows a block that comes again by its id
  /// (DurableStream::push_block).
  void push_block(std::string_view id, const BlockSum& block);
  /// Commits where that is due, and publishes what was committed.
  void publish_due();
  /// The same whether it is due or not: for an input that failed or a process that is to end.
  void flush();
  /// No more rows. A partial last block is released, unless it is left open.
  void end_input();
  [[nodiscard]] bool leaves_open() const { return leave_open_; }

  /// The stream that outlives the process; null where nothing does.
  [[nodiscard]] DurableStream* durable() { return durable_ ? &*durable_ : nullptr; }
  /// Publishes what earlier processes released, after DurableStream::resume_at.
  void publish_stored();
  /// When the next commit is due; none where nothing waits for one.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> commit_due() const {
    return durable_ ? durable_->commit_due() : std::nullopt;
  }
  /// Rows that need not come again after a crash; none where nothing outlives the process.
  [[nodiscard]] std::optional<std::uint64_t> committed_rows() const {
    return durable_ ? std::optional(durable_->committed_rows()) : std::nullopt;
  }
  /// The release of the last block that ended; null before the first.
  [[nodiscard]] const Release* newest() const;
  /// Rows of the input so far.
  [[nodiscard]] std::size_t rows() const { return durable_ ? durable_->rows() : in_memory_->rows(); }

 private:
  void publish_made();
  void publish_committed();
  std::optional<MomentStream> in_memory_;  // or
  std::optional<DurableStream> durable_;
  bool leave_open_ = false;
  Publish publish_;
  Watch watch_{};
};

}  // namespace jme
