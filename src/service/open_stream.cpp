#include "service/open_stream.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::service {

namespace {

constexpr std::string_view purpose_of_digests = "requests of a served stream";
constexpr std::size_t rows_at_a_time = 4096;

ReleaseWriter writer_of(const PreparedRun& run) {
  return {units_of(run.bounds()), run.emit(), run.columns(), counts_of(run.mechanism().workload_first())};
}

}  // namespace

OpenStream::OpenStream(const PreparedRun& run, LineLog& lines)
    : run_(run),
      lines_(lines),
      horizon_(run.mechanism().horizon()),
      map_(run.row_map()),
      intake_(run.intake()),
      writer_(writer_of(run)),
      stream_(run.open_durable()),
      open_(map_) {
  const std::size_t known = lines_.size();
  std::vector<ReleaseLine> batch;
  stream_.resume_at(stream_.rows_before());
  stream_.releases_before([&](const Release& release) {
    // The writer remembers earlier releases, so it must see every one.
    std::string line = writer_.line(release);
    learn(release);
    if (release_rows_.size() > known) batch.push_back({.t = release.rows(), .text = std::move(line)});
    if (batch.size() >= 256) lines_.append(std::exchange(batch, {}));
  });
  lines_.append(batch);
  rows_before_block_ = stream_.rows();
  const std::vector<std::byte> kept = stream_.kept();
  if (!kept.empty()) open_ = BlockSum::from_bytes(kept, map_);
  if (const std::optional<Key> key = stream_.front_key(purpose_of_digests)) {
    book_.emplace(*key);
    stream_.journal_before(
        [&](std::span<const std::byte> record) { book_->add(BookEntry::decoded(record)); });
  }
}

void OpenStream::learn(const Release& release) {
  ++releases_;
  release_rows_.push_back(release.rows());
  intake_.learn(release);
}

// From here on the stream is on the ledger.
void OpenStream::begin() {
  if (book_) return;
  stream_.begin();
  book_.emplace(*stream_.front_key(purpose_of_digests));
}

WriteAnswer OpenStream::answer_of(const BookEntry& entry) const {
  WriteAnswer answer{.rows = entry.rows, .first_row = entry.first_row};
  answer.released.assign(release_rows_.begin() + static_cast<std::ptrdiff_t>(entry.releases_before),
                         release_rows_.begin() + static_cast<std::ptrdiff_t>(entry.releases_after));
  return answer;
}

void OpenStream::check_place(const WriteRequest& request, std::uint64_t count, bool is_block) const {
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
  const std::uint64_t room = std::min<std::uint64_t>(horizon_.every() - open_.rows(), left);
  if (is_block && (count == 0 || count > room)) {
    throw Conflict(fmt::format("the sums are of {} rows, and the open block has room for {}", count, room));
  }
}

WriteAnswer OpenStream::add(const WriteRequest& request, const Content& content, std::int64_t now) {
  const auto* block = std::get_if<BlockSum>(&content);
  const std::uint64_t count = block != nullptr ? block->rows() : std::get<ReadRows>(content).count;
  if (book_) {
    if (const BookEntry* before = book_->find(book_->entry_for(request, now))) {
      WriteAnswer answer = answer_of(*before);
      answer.repeated = true;
      return answer;
    }
  }
  check_place(request, count, block != nullptr);
  begin();
  BookEntry entry = book_->entry_for(request, now);
  entry.rows = count;
  entry.first_row = rows();
  entry.releases_before = releases_;
  try {
    take(content);
  } catch (const std::exception& error) {
    // Part of the request may have been taken: this is no refusal.
    throw Error(error.what());
  }
  entry.releases_after = releases_;
  if (book_->must_be_kept(entry)) stream_.journal(entry.encoded());
  const WriteAnswer answer = answer_of(entry);
  book_->add(std::move(entry));
  return answer;
}

void OpenStream::take(const Content& content) {
  changed_ = true;
  if (const auto* block = std::get_if<BlockSum>(&content)) {
    open_.merge(*block);
    close_block_if_full();
  } else {
    take_rows(std::get<ReadRows>(content));
  }
}

void OpenStream::take_rows(const ReadRows& rows) {
  const MatrixView view = MatrixView::of_rows(rows.cells, run_.columns().size());
  for (std::size_t done = 0; done < rows.count;) {
    const std::size_t count = std::min(
        {rows.count - done, rows_at_a_time, static_cast<std::size_t>(horizon_.every() - open_.rows())});
    open_.add_rows(intake_.take_rows(view.part(done, count)).rows);
    done += count;
    close_block_if_full();
  }
}

void OpenStream::close_block_if_full() {
  if (open_.rows() < horizon_.every() && rows() < horizon_.rows()) return;
  learn(stream_.add_block(open_));
  rows_before_block_ += open_.rows();
  open_ = BlockSum(map_);
}

void OpenStream::commit() {
  if (!std::exchange(changed_, false)) return;
  stream_.keep(open_.bytes());
  stream_.commit();
  std::vector<ReleaseLine> lines;
  while (const Release* release = stream_.next()) {
    lines.push_back({.t = release->rows(), .text = writer_.line(*release)});
  }
  lines_.append(lines);
}

}  // namespace jme::service
