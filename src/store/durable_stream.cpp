#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/store/durable_stream.hpp>

#include "moments/check_rows.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"
#include "store/row_digest.hpp"
#include "store/source_budget.hpp"
#include "store/stream_store.hpp"

namespace jme {

namespace {

using Clock = std::chrono::steady_clock;
using store::StoredBlock;

// After a commit that takes long (a large state, a slow disk), the next one waits longer: at most a fifth of
// the time goes into commits.
constexpr int rest_after_commit = 4;

store::About about_stream(const Mechanism& mechanism, const DurableOptions& options) {
  store::About about;
  const auto add = [](Settings& to, std::string name, std::string value) {
    to.push_back({.name = std::move(name), .value = std::move(value)});
  };
  add(about.settings, "source", options.source);
  add(about.settings, "stream", options.stream);
  for (Setting& setting : settings_of(mechanism)) about.settings.push_back(std::move(setting));
  for (const Setting& setting : options.details) about.settings.push_back(setting);
  if (options.insecure_seed) {
    add(about.settings, "insecure-test-seed", fmt::format("{}", options.insecure_seed->value));
  }
  add(about.facts, "mu", fmt::format("{}", mechanism.mu()));
  add(about.facts, "bad-past", fmt::format("{}", mechanism.bad_past()));
  return about;
}

store::StreamFiles files_in(const DurableOptions& options) {
  store::make_folder(options.directory);
  return {options.directory, options.source, options.stream};
}

}  // namespace

struct DurableStream::Impl {
  Impl(const Mechanism& design, const DurableOptions& with)
      : mechanism(design), options(with), kept(files_in(with), about_stream(design, with)) {
    if (kept.is_new()) return;
    const StreamState& state = kept.head().state;
    rows_before = committed_rows = state.rows;
    ended = state.finished || state.rows >= mechanism.horizon().rows();
    digest.emplace(kept.keys(), mechanism.horizon().every());
  }

  [[nodiscard]] bool is_replaying() const { return rows < rows_before; }

  // A failed commit may or may not be on disk; the next process that opens the stream will find out.
  void check_whole() const {
    if (broken) throw StateError("the stream failed at a commit and cannot go on; run it again");
  }

  void push(std::span<const double> row, std::span<const double> as_read) {
    check_whole();
    const std::size_t width = mechanism.config().dimension;
    for (const auto& [size, expected] :
         {std::pair(row.size(), width), std::pair(as_read.size(), width + options.beside_row)}) {
      if (size == expected) continue;
      throw DataError(fmt::format("row {}: has {} values, the dimension is {}", rows + 1, size, expected),
                      rows + 1);
    }
    if (is_replaying()) return replay(as_read);
    if (ended && !stream) {
      throw BudgetExhausted(
          rows >= mechanism.horizon().rows()
              ? fmt::format("row {}: the horizon of {} rows is used up", rows + 1, mechanism.horizon().rows())
              : fmt::format("row {}: the stream was finished at row {}: no row may follow", rows + 1, rows));
    }
    if (!stream) begin();
    const Release& release = stream->push(row);
    digest->add(as_read);
    ++rows;
    if (release.is_new()) close_block(release);
  }

  // Everything is checked before the first row is taken.
  void push_rows(const MatrixView& view) {
    check_whole();
    check_rows(view, mechanism.config().dimension, rows);
    if (view.rows > mechanism.horizon().rows() - rows) {
      throw BudgetExhausted(fmt::format("row {}: the horizon of {} rows is used up",
                                        mechanism.horizon().rows() + 1, mechanism.horizon().rows()));
    }
    std::vector<double> row(view.columns);
    for (std::size_t r = 0; r < view.rows; ++r) {
      for (std::size_t j = 0; j < view.columns; ++j) row[j] = view.at(r, j);
      push(row, row);
    }
  }

  void resume_at(std::uint64_t at) {
    check_whole();
    if (rows != 0 || stream) throw StateError("resume_at comes before the first row");
    if (at != rows_before) {
      throw StateError(
          fmt::format("state {}: {} rows are committed, and a stream goes on from there, not from {}",
                      options.directory.string(), rows_before, at));
    }
    rows = at;
    if (!kept.is_new()) digest.emplace(kept.keys(), mechanism.horizon().every(), rows);
  }

  Release push_block(std::string_view id, const BlockSum& block) {
    check_whole();
    block.check_fits(mechanism);
    const std::vector<std::byte> sums = block.bytes();
    if (!kept.is_new()) {
      const store::BlockDigest now = store::digest_of_sums(kept.keys(), id, sums);
      if (const std::optional<StoredBlock> before = kept.find(now)) return released_before(*before, now, id);
    }
    if (is_replaying()) {
      throw StateError(
          fmt::format("state {}: {} rows were committed before: a new block comes after them (resume_at)",
                      options.directory.string(), rows_before));
    }
    begin_new();
    commit_pending();  // releases of rows that still wait; what is staged goes with the block
    stream->push_block(block);
    rows += mechanism.horizon().has_slots() ? 1 : block.rows();
    ended = stream->is_finished();
    Release release = stream->take_releases()[0];
    add_pending(release, store::digest_of_sums(kept.keys(), id, sums));
    commit();
    digest.emplace(kept.keys(), mechanism.horizon().every(), rows);
    return release;
  }

  const Release& add_block(const BlockSum& block) {
    check_whole();
    block.check_fits(mechanism);
    begin_new();
    stream->push_block(block);
    rows += mechanism.horizon().has_slots() ? 1 : block.rows();
    ended = stream->is_finished();
    waiting.push_back(stream->take_releases()[0]);
    // Its place takes the place of an id, by which nobody may find it.
    store::BlockDigest of_sums =
        store::digest_of_sums(kept.keys(), fmt::format("block before row {}", rows), block.bytes());
    of_sums.marks.clear();
    add_pending(waiting.back(), std::move(of_sums));
    digest.emplace(kept.keys(), mechanism.horizon().every(), rows);
    return waiting.back();
  }

  [[nodiscard]] Release released_before(const StoredBlock& before, const store::BlockDigest& now,
                                        std::string_view id) const {
    if (!store::equal(before.digest.rows, now.rows)) {
      throw StateError(fmt::format(
          "state {}: block {} was released with other sums, and its noise must not be added to these: "
          "nothing was drawn",
          options.directory.string(), id));
    }
    return Release::unpacked(ReleaseLayout::of(mechanism), before.rows, before.step, before.numbers);
  }

  void replay(std::span<const double> as_read) {
    if (!replayed) replayed = kept.next_block();
    digest->add(as_read);
    ++rows;
    if (rows < replayed->rows) return;
    compare(*replayed, digest->close());
    ready.push_back(
        Release::unpacked(ReleaseLayout::of(mechanism), replayed->rows, replayed->step, replayed->numbers));
    last_replayed = ready.back();
    replayed.reset();
  }

  void compare(const StoredBlock& block, const store::BlockDigest& now) const {
    if (store::equal(block.digest.rows, now.rows)) return;
    const std::size_t in_block = std::max<std::size_t>(now.marks.size(), 1);
    const std::uint64_t first = block.rows - in_block + 1;
    const std::size_t place = now.marks.empty() ? 0 : store::first_difference(block.digest, now);
    const std::string which = place < in_block ? fmt::format("row {}", first + place)
                                               : fmt::format("a row from {} to {}", first, block.rows);
    throw StateError(fmt::format(
        "state {}: {} is not the row that this stream took there, and its noise must not be added to another "
        "row; other data need another source, and a second stream on the same data needs its own name",
        options.directory.string(), which));
  }

  // The first new row has come. Its noise comes from a nonce under which nothing was drawn, and which is on
  // disk before the first draw (docs/theory/safety.md#durable-streams, I2).
  void begin() {
    const Nonce fresh = options.insecure_seed ? Nonce{} : nonce_from_system();
    if (kept.is_new()) {
      const store::File folder = store::File::folder(options.directory);
      folder.lock();  // no other stream may start on this source between the sum and the new charge
      store::check_source_budget(options, about_stream(mechanism, options));
      write([&] {
        kept.create_key(options.insecure_seed ? options.insecure_seed->key() : Key::from_system());
        digest.emplace(kept.keys(), mechanism.horizon().every());
        stream.emplace(mechanism, noise_key(), fresh);
        kept.begin(stream->state());
      });
    } else {
      write([&] {
        stream.emplace(MomentStream::resume(mechanism, noise_key(), fresh, kept.state()));
        committed_noise = stream->noise_steps();
        kept.commit({}, stream->state(committed_noise));
      });
    }
    last_commit = Clock::now();
  }

  template <class Write>
  void write(const Write& to_disk) {
    broken = true;
    to_disk();
    broken = false;
  }

  // A test seed gives the noise that it gives without a state folder.
  [[nodiscard]] Key noise_key() const {
    return options.insecure_seed ? options.insecure_seed->key() : kept.keys().noise();
  }

  void check_is_new() const {
    check_whole();
    if (!is_replaying()) return;
    throw StateError(fmt::format("state {}: {} rows were committed before: what is new comes after them",
                                 options.directory.string(), rows_before));
  }

  // Rows from here on are new.
  void begin_new() {
    check_is_new();
    if (ended && !stream) throw BudgetExhausted("the stream was finished: no block may follow");
    if (!stream) begin();
  }

  [[nodiscard]] std::uint64_t rows_of_whole_blocks() const {
    return std::max<std::uint64_t>(committed_rows, pending.empty() ? 0 : pending.back().rows);
  }

  // What was staged before a block ended belongs to that block's commit.
  void promote_annex() {
    if (staged.keep) beside.keep = std::move(staged.keep);
    if (staged.journal_is_new) {
      beside.journal.clear();
      beside.journal_is_new = true;
    }
    std::move(staged.journal.begin(), staged.journal.end(), std::back_inserter(beside.journal));
    staged = {};
  }

  void add_pending(const Release& release, store::BlockDigest of_its_rows) {
    promote_annex();
    at_block_end.reset();
    last_replayed.reset();
    has_made_release = true;
    pending.push_back({.step = release.steps(),
                       .rows = release.rows(),
                       .numbers = release.packed(),
                       .digest = std::move(of_its_rows)});
  }

  void close_block(const Release& release) {
    add_pending(release, digest->close());
    waiting.push_back(release);
    if (Clock::now() >= due()) {
      commit();
    } else if (mechanism.horizon().every() > 1) {
      at_block_end = stream->state(committed_noise);  // inside the next block it can no longer be taken
    }
  }

  [[nodiscard]] Clock::time_point due() const {
    if (options.commit_interval.count() == 0) return last_commit;
    return last_commit +
           std::max<Clock::duration>(options.commit_interval, rest_after_commit * last_duration);
  }

  void commit() {
    check_whole();
    if (!staged.is_empty() && rows == rows_of_whole_blocks()) {
      check_is_new();
      if (!stream) begin();  // also where the stream has ended: no row follows
      promote_annex();
    }
    commit_pending();
  }

  void commit_pending() {
    if (pending.empty() && beside.is_empty()) return;
    const Clock::time_point start = Clock::now();
    const StreamState state =
        at_block_end ? *std::exchange(at_block_end, {}) : stream->state(committed_noise);
    write([&] { kept.commit(pending, state, beside); });
    beside = {};
    if (!state.kept.empty()) committed_noise = state.kept.back().step + 1;
    committed_rows = rows_of_whole_blocks();
    std::move(waiting.begin(), waiting.end(), std::back_inserter(ready));
    waiting.clear();
    pending.clear();
    last_commit = Clock::now();
    last_duration = last_commit - start;
  }

  void end_input(PartialBlock partial) {
    check_whole();
    if (is_replaying()) {
      throw StateError(fmt::format("state {}: the input ends at row {}, but this stream took {} rows",
                                   options.directory.string(), rows, rows_before));
    }
    // At a block's end the stream stays open: a longer input can continue it.
    const bool inside = stream && rows > 0 && rows != rows_of_whole_blocks();
    if (inside && partial == PartialBlock::release) {
      const Release& release = stream->finish();
      ended = true;
      last_commit = {};  // do not wait
      close_block(release);
    }
    commit();
  }

  Mechanism mechanism;
  DurableOptions options;
  store::StreamStore kept;
  std::optional<MomentStream> stream;  // from the first new row on
  std::optional<store::RowDigest> digest;
  std::optional<StoredBlock> replayed;   // the stored block whose rows are coming again
  std::optional<Release> last_replayed;  // while nothing newer was made
  bool has_made_release = false;
  std::vector<StoredBlock> pending;         // not on disk yet
  std::vector<Release> waiting;             // the same as releases
  store::Annex staged, beside;              // what fronts keep: of the open block, of `pending`
  std::optional<StreamState> at_block_end;  // state after `pending`, where the stream has moved on
  std::deque<Release> ready;                // on disk
  std::optional<Release> given;
  std::uint64_t rows = 0, committed_rows = 0, rows_before = 0;
  std::uint64_t committed_noise = 0;  // noise steps whose kept vectors are on disk
  bool ended = false, broken = false;
  Clock::time_point last_commit{};
  Clock::duration last_duration{};
};

DurableStream::DurableStream(const Mechanism& mechanism, const DurableOptions& options)
    : impl_(std::make_unique<Impl>(mechanism, options)) {}
DurableStream::DurableStream(DurableStream&&) noexcept = default;
DurableStream& DurableStream::operator=(DurableStream&&) noexcept = default;
DurableStream::~DurableStream() = default;

DurableStream::Impl& DurableStream::impl() const {
  if (!impl_) throw StateError("the stream was moved from");
  return *impl_;
}

void DurableStream::push(std::span<const double> row) {
  impl().push(row, row);
}

void DurableStream::push(std::span<const double> row, std::span<const double> as_read) {
  impl().push(row, as_read);
}

void DurableStream::push_rows(const MatrixView& rows) {
  impl().push_rows(rows);
}

Release DurableStream::push_block(std::string_view id, const BlockSum& block) {
  return impl().push_block(id, block);
}

const Release& DurableStream::add_block(const BlockSum& block) {
  return impl().add_block(block);
}

void DurableStream::keep(std::span<const std::byte> bytes) {
  impl().staged.keep.emplace(bytes.begin(), bytes.end());
}

void DurableStream::journal(std::span<const std::byte> record) {
  impl().staged.journal.emplace_back(record.begin(), record.end());
}

void DurableStream::begin_journal() {
  impl().staged.journal.clear();
  impl().staged.journal_is_new = true;
}

std::vector<std::byte> DurableStream::kept() const {
  return impl().kept.kept_beside();
}

void DurableStream::journal_before(const std::function<void(std::span<const std::byte>)>& record) const {
  impl().kept.read_journal(record);
}

std::optional<Key> DurableStream::front_key(std::string_view purpose) const {
  if (impl().kept.is_new()) return std::nullopt;
  return impl().kept.keys().front(purpose);
}

void DurableStream::check_budget() const {
  const Impl& inside = impl();
  if (inside.kept.is_new()) {
    store::check_source_budget(inside.options, about_stream(inside.mechanism, inside.options));
  }
}

void DurableStream::check_budget(const Mechanism& mechanism, const DurableOptions& options) {
  const store::StreamFiles files(options.directory, options.source, options.stream);
  if (!std::filesystem::exists(files.database)) {
    store::check_source_budget(options, about_stream(mechanism, options));
  }
}

void DurableStream::begin() {
  impl().begin_new();
}

void DurableStream::resume_at(std::uint64_t rows) {
  impl().resume_at(rows);
}

void DurableStream::releases_before(const std::function<void(const Release&)>& take) {
  Impl& inside = impl();
  if (inside.kept.is_new()) return;
  const ReleaseLayout layout = ReleaseLayout::of(inside.mechanism);
  for (std::uint64_t done = 0; done < inside.rows_before;) {
    const StoredBlock block = inside.kept.next_block();
    done = block.rows;
    take(Release::unpacked(layout, block.rows, block.step, block.numbers));
  }
}

void DurableStream::end_input(PartialBlock partial) {
  impl().end_input(partial);
}

void DurableStream::commit() {
  impl().commit();
}

std::optional<std::chrono::steady_clock::time_point> DurableStream::commit_due() const {
  const Impl& inside = impl();
  if (inside.pending.empty()) return std::nullopt;
  return inside.due();
}

const Release* DurableStream::next() {
  Impl& inside = impl();
  if (inside.ready.empty()) return nullptr;
  inside.given = std::move(inside.ready.front());
  inside.ready.pop_front();
  return &*inside.given;
}

const Release* DurableStream::newest() const {
  const Impl& inside = impl();
  if (inside.has_made_release) return &inside.stream->release();
  return inside.last_replayed ? &*inside.last_replayed : nullptr;
}

std::uint64_t DurableStream::rows() const {
  return impl().rows;
}
std::uint64_t DurableStream::committed_rows() const {
  return impl().committed_rows;
}
std::uint64_t DurableStream::rows_before() const {
  return impl().rows_before;
}

}  // namespace jme
