#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/moments/release.hpp>
#include <jme/random/key.hpp>
#include <jme/store/commit.hpp>
#include <jme/store/stream_settings.hpp>

namespace jme {

/// Where a durable stream is kept and what it is called.
struct DurableOptions {
  std::filesystem::path directory{};  ///< made where it is missing, for the owner alone
  std::string source = "default";     ///< whose data it is: the ledger adds up what was spent on each source
  std::string stream{};               ///< name of the stream, for sources that have several
  /// Numbers that come after those of the row in `as_read`, such as whose row it is: compared with the row.
  std::size_t beside_row = 0;
  Settings details{};  ///< further public settings that rows depend on, such as columns and their bounds
  std::optional<InsecureTestSeed> insecure_seed{};  ///< for tests: protects nobody
  /// Releases wait this long for others to share their commit (longer only where commits themselves are
  /// slow); 0: one commit for each.
  std::chrono::milliseconds commit_interval{50};
  std::optional<double> max_mu{};  ///< refuse to start a stream that would spend more on its source
};

/// A MomentStream that survives its process (docs/development/recovery.md). Releases come out in order, each
/// only when it is on disk, and they are the same every time. A process that comes later gives the rows again
/// from the first one, which are compared block by block with what was taken, or goes on after them
/// (resume_at).
///
///   DurableStream stream(mechanism, {.directory = "state"});
///   for (const auto& row : rows) stream.push(row);
class DurableStream {
 public:
  /// Throws StateError for a stream that another process has open, that is damaged, that is older than its
  /// key file says, or that belongs to another configuration.
  DurableStream(const Mechanism& mechanism, const DurableOptions& options);
  DurableStream(DurableStream&&) noexcept;
  DurableStream& operator=(DurableStream&&) noexcept;
  ~DurableStream();

  /// Takes the next row of the input, and commits where that is due. Throws StateError where it ends a block
  /// of other rows than were there before; otherwise throws what MomentStream::push throws.
  void push(std::span<const double> row);
  /// The next rows, without a commit. `as_read`: the same before they were completed, for instance by filling
  /// missing cells, with DurableOptions::beside_row more numbers. When they come again `as_read` is compared,
  /// bit for bit, so that completing them may depend on releases in ways that another version or machine
  /// would not repeat exactly.
  void add_rows(const MatrixView& rows, const MatrixView& as_read);
  /// A block whose rows were summed elsewhere, without a commit. Its release may leave the process only after
  /// that, when next() gives it; until then it is for cells that are filled from it. Valid until the next
  /// row or block. `id`: by which push_block() will know it again; none where it is known by its place.
  const Release& add_block(const BlockSum& block, std::string_view id = {});
  /// The same with a commit, for callers that may give the block again: an id that the stream knows returns
  /// the same release and draws nothing, whichever process asks. The same id with other sums throws
  /// StateError: the noise of a step is added to one value only.
  Release push_block(std::string_view id, const BlockSum& block);

  /// What the last commit sealed, or the next one will. Journals are what the next one adds.
  [[nodiscard]] const SealedParts& sealed() const;
  /// The same, for the next commit. It may be changed between blocks, and before end_input() releases what a
  /// partial block has. Throws StateError before the rows that were committed have come again.
  SealedParts& change_sealed();
  /// The records that were committed, in their order.
  void read_journal(JournalOf journal, const std::function<void(std::span<const std::byte>)>& record) const;
  /// A key for digests that a front stores, the same for every process of this stream. None before the stream
  /// has begun, which begin() makes happen.
  [[nodiscard]] std::optional<Key> front_key(std::string_view purpose) const;

  /// Begins a new stream, or continues one that resume_at() continues, before its first row: its charge is on
  /// the ledger when the call returns. The first row or block does it otherwise.
  void begin();
  /// Throws BudgetExhausted where begin() would do so now, because of what was spent on the source of a new
  /// stream. Draws and writes nothing.
  void check_budget() const;
  /// The same for a stream that is not opened. A stream that the folder has was charged before.
  static void check_budget(const Mechanism& mechanism, const DurableOptions& options);
  /// Goes on after the rows that earlier processes committed, without comparing them again, for sources that
  /// can begin there: `rows` must be rows_before(). Earlier releases are not given out again. The caller is
  /// responsible for giving the right rows from there on.
  void resume_at(std::uint64_t rows);
  /// The releases that earlier processes committed, in their order, after resume_at(): for fronts that give
  /// them out again without their rows.
  void releases_before(const std::function<void(const Release&)>& take);
  /// No more rows come: a partial last block is released and ends the stream, or is left open for an input
  /// that grows later. Throws StateError where the input is shorter than it was.
  enum class PartialBlock { release, leave };
  void end_input(PartialBlock partial = PartialBlock::release);
  /// Commits the releases of all whole blocks now, and what is sealed with them. Rows of a block that is
  /// still open are not stored, unless they are in SealedParts::open_block.
  void commit();
  /// The same where a commit is due.
  void commit_if_due();
  /// When a commit is due; none where nothing waits for it.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> commit_due() const;
  /// The next release that is on disk; null where there is none yet. Valid until the next call.
  const Release* next();

  /// The release of the last block that ended, whether it is on disk or not: rows that depend on it depend on
  /// the same release when they come again. Null before the first; valid until the next row.
  [[nodiscard]] const Release* newest() const;

  [[nodiscard]] std::uint64_t rows() const;            ///< of the input so far
  [[nodiscard]] std::uint64_t committed_rows() const;  ///< that need not be counted again
  [[nodiscard]] std::uint64_t rows_before() const;     ///< committed by earlier runs
  /// Whether rows that were committed are still to come again.
  [[nodiscard]] bool is_replaying() const { return rows() < rows_before(); }

 private:
  struct Impl;
  [[nodiscard]] Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
