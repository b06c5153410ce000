#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// Rows in, releases out in their order: in memory, or durable. PreparedRun::open makes one.
class RunningStream {
 public:
  /// Called with each release that may leave the process, inside the call that made it possible.
  using Publish = std::function<void(const Release&)>;

  virtual ~RunningStream() = default;
  /// Takes the next row, in the unit box where there are bounds. `as_read`: the row before missing cells were
  /// filled, which a durable stream compares when the row comes again. Throws what MomentStream::push throws;
  /// a durable stream also throws StateError.
  virtual void push(std::span<const double> row, std::span<const double> as_read) = 0;
  void push(std::span<const double> row) { push(row, row); }
  /// Many rows, with the numbers that the same rows give one by one: as they are pushed here.
  virtual void push_rows(const MatrixView& rows, const MatrixView& as_read);
  /// Takes a block whose rows were summed elsewhere, as MomentStream::push_block and
  /// DurableStream::push_block do; only a durable stream needs the `id` of the block.
  virtual void push_block(std::string_view id, const BlockSum& block) = 0;
  /// Whether bytes can be kept beside the stream, sealed, for the next process.
  [[nodiscard]] virtual bool can_keep() const { return false; }
  /// Keeps these bytes in place of those before, in the commit of the next block, or of flush() where that
  /// comes first (DurableStream::keep).
  virtual void keep(std::span<const std::byte> /*bytes*/) {}
  /// What was kept last; empty where nothing was.
  [[nodiscard]] virtual std::vector<std::byte> kept() const { return {}; }
  /// Publishes what earlier processes released, where steps are slots of time: their blocks need not come
  /// again.
  virtual void publish_stored() {}
  /// What is to be kept, in secret and in the commit of its block, of the people of the row that comes next
  /// (PersonLimit::take_records); rows that come again were kept before. `all`: it takes the place of what
  /// was kept before (PersonLimit::take_all_records).
  enum class People : std::uint8_t { more, all };
  virtual void keep_people(std::span<const std::byte> /*records*/, People /*which*/ = People::more) {}
  /// What earlier processes kept of them.
  [[nodiscard]] virtual std::vector<std::byte> people_before() const { return {}; }
  /// Goes on after the rows that earlier processes committed, for sources that can begin there
  /// (DurableStream::resume_at). Throws StateError where nothing outlives the process.
  virtual void resume();
  /// No more rows. A partial last block is released, unless a durable stream leaves it open.
  virtual void end_input() = 0;
  /// Publishes what was made so far and may be published: for an input that failed or a process that is to
  /// end, and whenever commit_due() has come.
  virtual void flush() {}
  /// When the next commit is due; none where nothing waits for one.
  [[nodiscard]] virtual std::optional<std::chrono::steady_clock::time_point> commit_due() const {
    return std::nullopt;
  }
  /// Rows that need not come again after a crash; none where nothing outlives the process.
  [[nodiscard]] virtual std::optional<std::uint64_t> committed_rows() const { return std::nullopt; }
  /// The release of the last block that ended; null before the first.
  [[nodiscard]] virtual const Release* newest() const = 0;
  /// Rows of the input so far.
  [[nodiscard]] virtual std::size_t rows() const = 0;
};

}  // namespace jme
