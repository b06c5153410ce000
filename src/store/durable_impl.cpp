#include "store/durable_impl.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "store/file.hpp"
#include "store/folder.hpp"
#include "store/source_budget.hpp"

namespace jme {

namespace {

using store::StoredRelease;
using store::Tag;

// After a commit that takes long (a large state, a slow disk), the next one waits longer: at most a fifth of
// the time goes into commits.
constexpr int rest_after_commit = 4;

store::StreamFiles files_in(const DurableOptions& options) {
  store::make_folder(options.directory);
  return {options.directory, options.source, options.stream};
}

}  // namespace

DurableStream::Impl::Impl(const Mechanism& design, const DurableOptions& with)
    : mechanism(design), options(with), store(files_in(with), store::about_stream(design, with)) {
  if (store.is_new()) return;
  store::Commit last = store.read();
  rows_before = committed_rows = last.state.rows;
  ended = last.state.finished || last.state.rows >= mechanism.horizon().rows();
  stored_state = std::move(last.state);
  next.sealed = std::move(last.sealed);
  digest.emplace(store.keys());
}

void DurableStream::Impl::check_whole() const {
  if (broken) throw StateError("the stream failed at a commit and cannot go on; run it again");
}

void DurableStream::Impl::check_is_new() const {
  check_whole();
  if (!is_replaying()) return;
  throw StateError(
      fmt::format("state {}: {} rows were committed before: what is new comes after them (resume_at)",
                  options.directory.string(), rows_before));
}

void DurableStream::Impl::check_widths(const MatrixView& part, const MatrixView& as_read) const {
  const std::size_t width = mechanism.config().dimension;
  for (const auto& [size, expected] :
       {std::pair(part.columns, width), std::pair(as_read.columns, width + options.beside_row)}) {
    if (size == expected) continue;
    throw DataError(fmt::format("row {}: has {} values, the dimension is {}", rows + 1, size, expected),
                    rows + 1);
  }
}

void DurableStream::Impl::add_rows(const MatrixView& part, const MatrixView& as_read) {
  check_whole();
  check_widths(part, as_read);
  for (std::size_t done = 0; done < part.rows;) {
    const std::size_t count = std::min(part.rows - done, rows_to_block_end());
    is_replaying() ? replay(as_read.part(done, count))
                   : take(part.part(done, count), as_read.part(done, count));
    done += count;
  }
}

std::size_t DurableStream::Impl::rows_to_block_end() {
  if (is_replaying()) {
    if (!replayed) replayed = store.next_release();
    return replayed->rows - rows;
  }
  const Horizon& horizon = mechanism.horizon();
  const std::size_t left = horizon.rows() - std::min<std::size_t>(rows, horizon.rows());
  // The row past the horizon comes alone, and is refused.
  return std::max<std::size_t>(std::min(horizon.every() - (rows - rows_of_whole_blocks()), left), 1);
}

void DurableStream::Impl::replay(const MatrixView& as_read) {
  digest->add(as_read);
  rows += as_read.rows;
  if (rows < replayed->rows) return;
  compare(*replayed, digest->close());
  ready.push_back(unpacked(*replayed));
  last_replayed = ready.back();
  replayed.reset();
}

void DurableStream::Impl::compare(const StoredRelease& release, const Tag& now) const {
  if (store::equal(release.digest, now)) return;
  const std::uint64_t first = (release.step - 1) * mechanism.horizon().every() + 1;
  const std::string which = first == release.rows
                                ? fmt::format("row {} is not the row", first)
                                : fmt::format("the rows {} to {} are not those", first, release.rows);
  throw StateError(fmt::format(
      "state {}: {} that this stream took there, and its noise must not be added to other rows; other data "
      "need another source, and a second stream on the same data needs its own name",
      options.directory.string(), which));
}

void DurableStream::Impl::take(const MatrixView& part, const MatrixView& as_read) {
  if (ended && !stream) {
    throw BudgetExhausted(
        rows >= mechanism.horizon().rows()
            ? fmt::format("row {}: the horizon of {} rows is used up", rows + 1, mechanism.horizon().rows())
            : fmt::format("row {}: the stream was finished at row {}: no row may follow", rows + 1, rows));
  }
  if (!stream) begin();
  // Inside a block the state can no longer be taken.
  const bool begins_block = rows == rows_of_whole_blocks();
  const bool ends_block = part.rows == rows_to_block_end();
  if (begins_block && !ends_block && !next.releases.empty()) at_block_end = stream->state(committed_noise);
  if (part.rows == 1 && part.column_stride == 1) {
    stream->push({part.data, part.columns});
  } else if (stream->push_rows(part) > 0) {
    static_cast<void>(stream->take_releases());  // the newest is all that there are
  }
  digest->add(as_read);
  rows += part.rows;
  if (!ends_block) return;
  waiting.push_back(stream->release());
  add_pending(stream->release(), digest->close());
}

const Release& DurableStream::Impl::add_block(const BlockSum& block, std::string_view id) {
  check_whole();
  block.check_fits(mechanism);
  begin_new();
  stream->push_block(block);
  rows += mechanism.horizon().has_slots() ? 1 : block.rows();
  ended = stream->is_finished();
  waiting.push_back(stream->take_releases()[0]);
  const std::string place = id.empty() ? fmt::format("block before row {}", rows) : std::string(id);
  add_pending(waiting.back(), store::digest_of_sums(store.keys(), place, block.bytes()),
              id.empty() ? std::nullopt : std::optional(store::digest_of_id(store.keys(), id)));
  digest.emplace(store.keys(), rows);
  return waiting.back();
}

Release DurableStream::Impl::push_block(std::string_view id, const BlockSum& block) {
  check_whole();
  block.check_fits(mechanism);
  if (!store.is_new()) {
    if (const auto before = store.find(store::digest_of_id(store.keys(), id))) {
      if (!store::equal(before->digest, store::digest_of_sums(store.keys(), id, block.bytes()))) {
        throw StateError(fmt::format(
            "state {}: block {} was released with other sums, and its noise must not be added to these: "
            "nothing was drawn",
            options.directory.string(), id));
      }
      return unpacked(*before);
    }
  }
  static_cast<void>(add_block(block, id));
  Release release = std::move(waiting.back());
  waiting.pop_back();  // it is returned, and not given by next()
  commit();
  return release;
}

void DurableStream::Impl::resume_at(std::uint64_t at) {
  check_whole();
  if (rows != 0 || stream) throw StateError("resume_at comes before the first row");
  if (at != rows_before) {
    throw StateError(
        fmt::format("state {}: {} rows are committed, and a stream goes on from there, not from {}",
                    options.directory.string(), rows_before, at));
  }
  rows = at;
  if (!store.is_new()) digest.emplace(store.keys(), rows);
}

// Rows from here on are new.
void DurableStream::Impl::begin_new() {
  check_is_new();
  if (ended && !stream) throw BudgetExhausted("the stream was finished: no block may follow");
  if (!stream) begin();
}

// The noise of what is new comes from a nonce under which nothing was drawn, and which is on disk before the
// first draw (src/store/GUARANTEES.md, I2).
void DurableStream::Impl::begin() {
  const Nonce fresh = options.insecure_seed ? Nonce{} : nonce_from_system();
  if (store.is_new()) {
    const store::File folder = store::File::folder(options.directory);
    folder.lock();  // no other stream may start on this source between the sum and the new charge
    store::check_source_budget(options, store::about_stream(mechanism, options));
    write([&] {
      store.create_key(options.insecure_seed ? options.insecure_seed->key() : Key::from_system());
      digest.emplace(store.keys());
      stream.emplace(mechanism, noise_key(), fresh);
      next.state = stream->state();
      store.begin(next);
    });
  } else {
    write([&] {
      stream.emplace(MomentStream::resume(mechanism, noise_key(), fresh, *stored_state));
      stored_state.reset();
      committed_noise = stream->noise_steps();
      next.state = stream->state(committed_noise);
      store.commit(next);
    });
  }
  next.sealed.people.clear();
  next.sealed.requests.clear();
  has_new_parts = false;
  last_commit = Clock::now();
}

template <class Write>
void DurableStream::Impl::write(const Write& to_disk) {
  broken = true;
  to_disk();
  broken = false;
}

// A test seed gives the noise that it gives without a state folder.
Key DurableStream::Impl::noise_key() const {
  return options.insecure_seed ? options.insecure_seed->key() : store.keys().noise();
}

Release DurableStream::Impl::unpacked(const StoredRelease& release) const {
  return Release::unpacked(ReleaseLayout::of(mechanism), release.rows, release.step, release.numbers);
}

std::uint64_t DurableStream::Impl::rows_of_whole_blocks() const {
  return std::max<std::uint64_t>(committed_rows, next.releases.empty() ? 0 : next.releases.back().rows);
}

void DurableStream::Impl::add_pending(const Release& release, const Tag& of_block, std::optional<Tag> id) {
  at_block_end.reset();
  last_replayed.reset();
  has_made_release = true;
  next.releases.push_back({.step = release.steps(),
                           .rows = release.rows(),
                           .numbers = release.packed(),
                           .digest = of_block,
                           .id = id});
}

DurableStream::Impl::Clock::time_point DurableStream::Impl::due() const {
  if (options.commit_interval.count() == 0) return last_commit;
  return last_commit + std::max<Clock::duration>(options.commit_interval, rest_after_commit * last_duration);
}

void DurableStream::Impl::commit() {
  check_whole();
  if (next.releases.empty() && !has_new_parts) return;
  if (!stream) {
    begin();  // also where the stream has ended: no row follows. It commits the parts, too
    return;
  }
  const Clock::time_point start = Clock::now();
  next.state = at_block_end ? *std::exchange(at_block_end, {}) : stream->state(committed_noise);
  write([&] { store.commit(next); });
  if (!next.state.kept.empty()) committed_noise = next.state.kept.back().step + 1;
  next.state = {};
  committed_rows = rows_of_whole_blocks();
  next.releases.clear();
  next.sealed.people.clear();
  next.sealed.requests.clear();
  has_new_parts = false;
  std::move(waiting.begin(), waiting.end(), std::back_inserter(ready));
  waiting.clear();
  last_commit = Clock::now();
  last_duration = last_commit - start;
}

void DurableStream::Impl::end_input(PartialBlock partial) {
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
    waiting.push_back(release);
    add_pending(release, digest->close());
  }
  commit();
}

}  // namespace jme
