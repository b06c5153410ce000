#include "service/open_stream.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/mechanism/release_layout.hpp>
#include <jme/pipeline/slot_feed.hpp>

namespace jme::service {

namespace {

constexpr std::size_t rows_at_a_time = 4096;
/// Slots that ended while nobody looked share a commit, as many as this, and with at most so many numbers in
/// their releases unless one has more: memory_of_stream counts on it.
constexpr std::size_t slots_at_a_time = 256, numbers_at_a_time = std::size_t{1} << 13;
constexpr std::size_t bytes_at_a_time = std::size_t{1} << 20;  // of lines that are read again
/// The releases of one commit are in memory together, and may take this much; each takes its numbers, as they
/// are and as text, and some objects.
constexpr std::size_t bytes_of_commit = std::size_t{1} << 28, bytes_of_number = 80, bytes_of_objects = 2048;
// Of one sender, so that no one alone brings sums to where they are cut off (BlockSum::saturated). A slot
// itself is never full: what a sender is told depends on the sender's own rows alone.
constexpr std::uint64_t most_rows_of_token = std::uint64_t{1} << 28;

ReleaseWriter writer_of(const PreparedRun& run, const std::optional<SlotSchedule>& slots) {
  return {units_of(run.bounds()), run.emit(), run.columns(), counts_of(run.mechanism().workload_first()),
          slots};
}

std::size_t numbers_of_release(const ReleaseLayout& layout) {
  return layout.first_size() + (layout.second == SecondMoment::none ? 0 : layout.second_size());
}

}  // namespace

std::uint64_t rows_of(const Content& content) {
  const auto* block = std::get_if<BlockSum>(&content);
  return block != nullptr ? block->rows() : std::get<ReadRows>(content).rows.rows();
}

std::uint64_t most_rows_of_commit(const Mechanism& mechanism) {
  const Horizon& horizon = mechanism.horizon();
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  if (horizon.has_slots()) return any;
  const std::size_t of_release =
      bytes_of_objects + bytes_of_number * numbers_of_release(ReleaseLayout::of(mechanism));
  const std::uint64_t blocks = std::max<std::uint64_t>(bytes_of_commit / of_release, 1);
  return blocks > any / horizon.every() ? any : blocks * horizon.every();
}

OpenStream::OpenStream(const PreparedRun& run, LineLog& lines, SlotClock& clock)
    : run_(run),
      lines_(lines),
      clock_(clock),
      horizon_(run.mechanism().horizon()),
      slots_(run.clock() ? std::optional(run.schedule()) : std::nullopt),
      map_(run.row_map()),
      rules_(run.rules()),
      writer_(writer_of(run, slots_)),
      stream_(run.open_durable()),
      journal_(stream_, now()),
      open_(map_, sums_of()) {
  rules_.keep_people(stream_, true);
  const std::size_t known = lines_.size();
  std::vector<ReleaseLine> batch;
  std::size_t bytes = 0;
  stream_.resume_at(stream_.rows_before());
  stream_.releases_before([&](const Release& release) {
    // The writer remembers earlier releases, so it must see every one.
    std::string line = writer_.line(release);
    learn(release);
    if (release_rows_.size() <= known) return;
    bytes += line.size();
    batch.push_back({.t = release.rows(), .text = std::move(line)});
    if (batch.size() < 256 && bytes < bytes_at_a_time) return;
    lines_.append(std::exchange(batch, {}));
    bytes = 0;
  });
  lines_.append(batch);
  open_stored();
}

void OpenStream::open_stored() {
  const std::vector<std::byte>& stored = stream_.sealed().open_block;
  if (!slots_) {
    rows_before_block_ = stream_.rows();
    if (!stored.empty()) open_ = BlockSum::from_bytes(stored, map_);
    return;
  }
  // Whatever the machine's clock shows: slots that were released have ended.
  if (!release_rows_.empty()) clock_.is_past(slots_->begin_of(release_rows_.size()));
  if (stored.empty()) return;
  OpenSlot slot = OpenSlot::from_bytes(stored, map_);
  if (slot.slot != release_rows_.size() || slot.start != slots_->start) {
    throw StateError("the open slot on disk is not the next one of this stream");
  }
  open_ = std::move(slot.sums);
}

std::vector<std::byte> OpenStream::open_bytes() const {
  if (!slots_) return open_.bytes();
  return OpenSlot{.start = slots_->start, .slot = release_rows_.size(), .sums = open_}.bytes();
}

void OpenStream::learn(const Release& release) {
  release_rows_.push_back(release.rows());
  rules_.learn(release);
}

std::vector<Note> OpenStream::notes() const {
  std::vector<Note> notes = rules_.notes();
  std::erase_if(notes, [](const Note& note) { return is_about_clamping(note.kind); });
  return notes;
}

bool OpenStream::is_finished() const {
  return slots_ ? release_rows_.size() >= slots_->count : rows() >= horizon_.rows();
}

std::optional<Seconds> OpenStream::slot_end() const {
  if (!slots_ || is_finished()) return std::nullopt;
  return slots_->end_of(release_rows_.size());
}

std::optional<Seconds> OpenStream::due() const {
  const std::optional<Seconds> end = slot_end(), rewriting = journal_.rewriting_due();
  return end && rewriting ? std::min(*end, *rewriting) : end ? end : rewriting;
}

bool OpenStream::look_at_clock() {
  if (!slots_) return false;
  if (!journal_.has_begun()) {
    journal_.begin(stream_);  // from here on the stream is on the ledger: its releases come with rows or not
    changed_ = true;
  }
  const std::size_t ended = clock_.ended(*slots_);
  const std::size_t most = std::min(slots_at_a_time, numbers_at_a_time / numbers_of_release(map_.layout) + 1);
  for (std::size_t i = 0; release_rows_.size() < ended && i < most; ++i) close_block();
  enter_window();
  return release_rows_.size() < ended;
}

void OpenStream::enter_window() {
  PersonLimit* const limit = rules_.person_limit();
  if (limit == nullptr || !limit->has_windows() || is_finished()) return;
  limit->begin_window(slots_->window_of(slots_->begin_of(release_rows_.size()), run_.slots_of_window()));
}

WriteAnswer OpenStream::answer_of(const BookEntry& entry) const {
  WriteAnswer answer{.rows = entry.rows};
  answer.released.assign(release_rows_.begin() + static_cast<std::ptrdiff_t>(entry.releases_before),
                         release_rows_.begin() + static_cast<std::ptrdiff_t>(entry.releases_after));
  if (slots_) {
    answer.slot_end = slots_->end_of(entry.releases_before);
  } else {
    answer.first_row = entry.first_row;
  }
  return answer;
}

void OpenStream::check_slot(const WriteRequest& request, std::uint64_t count) const {
  if (is_finished()) {
    throw BudgetExhausted(fmt::format("the last slot of this stream ended at {}: no row may follow",
                                      iso_text(slots_->end_of(slots_->count - 1))));
  }
  if (clock_.time() < static_cast<double>(slots_->start)) {
    throw Conflict(fmt::format("the first slot of this stream begins at {}", iso_text(slots_->start)));
  }
  const auto sent = rows_of_tokens_.find(request.token);
  const std::uint64_t before = sent == rows_of_tokens_.end() ? 0 : sent->second;
  if (count > most_rows_of_token - before) {
    throw Conflict(
        fmt::format("a token may send {} rows in one slot: send the others when the next one has begun",
                    most_rows_of_token));
  }
}

void OpenStream::check_place(const WriteRequest& request, std::uint64_t count, bool is_block) const {
  if (slots_) return check_slot(request, count);
  if (request.repeats == WriteRequest::Repeats::by_rows) {
    if (request.last_row < request.first_row || request.last_row - request.first_row != count - 1) {
      throw InvalidParameter("content-range", "must have as many rows as the body");
    }
    if (request.first_row != rows()) {
      throw Conflict(fmt::format(
          "the next row of this stream is row {}, counted from 0: the range must begin there, or be "
          "that of an earlier request",
          rows()));
    }
  }
  const std::uint64_t left = horizon_.rows() - rows();
  if (count > left) {
    throw BudgetExhausted(
        fmt::format("the horizon of {} rows leaves room for {} more, and the request has {}: none was taken",
                    horizon_.rows(), left, count));
  }
  const std::uint64_t most = most_rows_of_commit(run_.mechanism());
  if (count > most) {
    throw TooManyRows(fmt::format(
        "must have at most {} rows for this stream, whose releases come after every {} row(s): those of "
        "one request are in memory together",
        most, horizon_.every()));
  }
  const std::uint64_t room = std::min<std::uint64_t>(horizon_.every() - open_.rows(), left);
  if (is_block && (count == 0 || count > room)) {
    throw Conflict(fmt::format("the sums are of {} rows, and the open block has room for {}", count, room));
  }
}

WriteAnswer OpenStream::add(const WriteRequest& request, const Content& content) {
  const std::uint64_t count = rows_of(content);
  if (journal_.has_begun()) {
    if (const BookEntry* before = journal_.book().find(journal_.book().entry_for(request, now()))) {
      WriteAnswer answer = answer_of(*before);
      answer.repeated = true;
      return answer;
    }
  }
  check_place(request, count, std::holds_alternative<BlockSum>(content));
  journal_.begin(stream_);
  BookEntry entry = journal_.book().entry_for(request, now());
  entry.rows = count;
  entry.first_row = slots_ ? 0 : rows();
  entry.releases_before = release_rows_.size();
  try {
    take(content);
  } catch (const std::exception& error) {
    // Part of the request may have been taken: this is no refusal.
    throw Error(error.what());
  }
  if (slots_) rows_of_tokens_[request.token] += count;
  entry.releases_after = release_rows_.size();
  WriteAnswer answer = answer_of(entry);
  journal_.add(std::move(entry));
  return answer;
}

void OpenStream::take(const Content& content) {
  changed_ = true;
  if (const auto* block = std::get_if<BlockSum>(&content)) {
    open_.merge(*block);
    close_block_if_full();
  } else {
    take_rows(std::get<ReadRows>(content).rows);
  }
}

void OpenStream::take_rows(const RowBatch& rows) {
  for (std::size_t done = 0; done < rows.rows();) {
    const std::size_t room = slots_ ? rows_at_a_time : horizon_.every() - open_.rows();
    const std::size_t end = std::min({rows.rows(), done + rows_at_a_time, done + room});
    open_.add_rows(rules_.take(rows, std::exchange(done, end), end).rows);
    close_block_if_full();
  }
}

void OpenStream::close_block() {
  learn(stream_.add_block(open_));
  if (!slots_) rows_before_block_ += open_.rows();
  open_ = BlockSum(map_, sums_of());
  rows_of_tokens_.clear();
  changed_ = true;
}

void OpenStream::close_block_if_full() {
  if (slots_) return;  // the clock closes them
  if (open_.rows() < horizon_.every() && rows() < horizon_.rows()) return;
  close_block();
}

void OpenStream::commit() {
  if (!std::exchange(changed_, false) && !journal_.must_be_rewritten(now())) return;
  SealedParts& parts = stream_.change_sealed();
  journal_.write(parts.requests, now());
  if (PersonLimit* const limit = rules_.person_limit()) add_records(*limit, parts.people);
  parts.open_block = open_bytes();
  stream_.commit();
  std::vector<ReleaseLine> lines;
  while (const Release* release = stream_.next()) {
    lines.push_back({.t = release->rows(), .text = writer_.line(*release)});
  }
  try {
    lines_.append(lines);
  } catch (const StorageFailed& error) {
    throw FailedAfterCommit(error.what());  // they are written when the stream is opened again
  }
}

}  // namespace jme::service
