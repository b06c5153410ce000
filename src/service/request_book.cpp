#include "service/request_book.hpp"

#include <algorithm>
#include <utility>

namespace jme::service {

namespace {

constexpr std::string_view kind_of(const WriteRequest& request) {
  if (request.content == WriteRequest::Content::block) return "block";
  return request.repeats == WriteRequest::Repeats::by_rows ? "rows" : "key";
}

}  // namespace

store::Bytes BookEntry::encoded() const {
  return store::ByteWriter()
      .raw(name)
      .raw(body)
      .number(static_cast<std::uint64_t>(has_name))
      .number(static_cast<std::uint64_t>(by_rows))
      .number(static_cast<std::uint64_t>(is_block))
      .number(static_cast<std::uint64_t>(time))
      .number(first_row)
      .number(rows)
      .number(releases_before)
      .number(releases_after)
      .text(token)
      .number(static_cast<std::uint64_t>(has_origin))
      .raw(origin)
      .bytes();
}

BookEntry BookEntry::decoded(std::span<const std::byte> record) {
  store::ByteReader reader(record);
  BookEntry entry;
  entry.name = reader.value<store::Tag>();
  entry.body = reader.value<store::Tag>();
  entry.has_name = reader.value<std::uint64_t>() != 0;
  entry.by_rows = reader.value<std::uint64_t>() != 0;
  entry.is_block = reader.value<std::uint64_t>() != 0;
  entry.time = reader.value<std::int64_t>();
  entry.first_row = reader.value<std::uint64_t>();
  entry.rows = reader.value<std::uint64_t>();
  entry.releases_before = reader.value<std::uint64_t>();
  entry.releases_after = reader.value<std::uint64_t>();
  const auto token = reader.take(reader.value<std::uint64_t>());
  entry.token.assign(reinterpret_cast<const char*>(token.data()), token.size());
  if (reader.left() == 0) return entry;  // of a version that knew no jobs
  entry.has_origin = reader.value<std::uint64_t>() != 0;
  entry.origin = reader.value<store::Tag>();
  return entry;
}

BookEntry RequestBook::entry_for(const WriteRequest& request, std::int64_t now) {
  BookEntry entry{.token = request.token, .time = now};
  entry.by_rows = request.repeats == WriteRequest::Repeats::by_rows;
  entry.is_block = request.content == WriteRequest::Content::block;
  entry.has_name = request.repeats != WriteRequest::Repeats::unknown;
  if (!entry.has_name) return entry;
  entry.has_origin = !request.origin.empty();
  if (entry.has_origin) {
    entry.origin = hmac_.tag(store::ByteWriter().text("origin").text(request.origin).bytes());
  }
  store::ByteWriter name;
  name.text("name").text(kind_of(request));
  if (entry.by_rows) {
    name.number(request.first_row).number(request.last_row);
  } else {
    name.text(request.key);
  }
  entry.name = hmac_.tag(name.bytes());
  entry.body = hmac_.tag(store::ByteWriter()
                             .text("body")
                             .number(static_cast<std::uint64_t>(request.content))
                             .text(request.body)
                             .bytes());
  return entry;
}

const BookEntry* RequestBook::find(const BookEntry& request) const {
  if (owner_of_rows_ && *owner_of_rows_ != request.token) {
    throw NotYours("another token writes this stream and numbers its rows: no other token may write it");
  }
  if (request.by_rows) {
    for (const auto& [token, requests] : writers_) {
      if (token != request.token) {
        throw NotYours("rows can be numbered only where a single token writes the stream");
      }
    }
  }
  if (request.has_origin && origin_ && !store::equal(*origin_, request.origin)) {
    throw Conflict(
        "the blocks of this stream come from another job (a query that has lost its checkpoint is another "
        "one "
        "too): its rows may have been counted before, so that they need a stream of their own");
  }
  if (!request.has_name) return nullptr;
  const auto found = known_.find(request.name);
  if (found == known_.end()) return nullptr;
  // Nothing is compared for another token: the answer would tell whether it guessed the body.
  if (found->second.token != request.token) {
    throw NotYours("this key or id was used first by another token, to which it belongs");
  }
  if (!store::equal(found->second.body, request.body)) {
    throw OtherBody("a request with this key, id or range was taken before, with another body");
  }
  return &found->second;
}

bool RequestBook::must_be_kept(const BookEntry& request) const {
  return request.has_name || !writers_.contains(request.token);
}

void RequestBook::add(BookEntry entry) {
  ++writers_[entry.token];
  if (entry.by_rows) owner_of_rows_ = entry.token;
  if (entry.has_origin) origin_ = entry.origin;
  const std::int64_t now = entry.time;
  // First: a key that was forgotten may come again, and has one place in the order.
  forget(now);
  if (entry.has_name) {
    if (!known_.contains(entry.name)) (entry.is_block ? blocks_ : rows_).push_back(entry.name);
    known_[entry.name] = std::move(entry);
  }
  forget(now);
}

void RequestBook::forget_first(std::deque<store::Tag>& order, std::int64_t since) {
  known_.erase(order.front());
  order.pop_front();
  ++forgotten_;
  if (!forgotten_since_) forgotten_since_ = since;
}

void RequestBook::forget(std::int64_t now) {
  while (blocks_.size() > most_) forget_first(blocks_, now);
  while (!rows_.empty()) {
    const std::int64_t end = known_.find(rows_.front())->second.time + seconds_known;
    if (rows_.size() <= most_ && end > now) return;
    forget_first(rows_, std::min(end, now));
  }
}

bool RequestBook::must_be_rewritten(std::int64_t now) const {
  if (!forgotten_since_) return false;
  return forgotten_ > std::max(few, known_.size()) || now >= *forgotten_since_ + seconds_on_disk;
}

std::optional<std::int64_t> RequestBook::rewriting_due() const {
  if (forgotten_since_) return *forgotten_since_ + seconds_on_disk;
  if (rows_.empty()) return std::nullopt;
  return known_.find(rows_.front())->second.time + seconds_known + seconds_on_disk;
}

std::vector<BookEntry> RequestBook::known() const {
  std::vector<BookEntry> entries;
  // Who has written, who numbers rows, and which job makes blocks, is known for ever.
  for (const auto& [token, requests] : writers_) {
    BookEntry& writer = entries.emplace_back();
    writer.token = token;
    writer.by_rows = owner_of_rows_ == token;
    writer.has_origin = origin_.has_value();
    writer.origin = origin_.value_or(store::Tag{});
  }
  for (const auto* order : {&blocks_, &rows_}) {
    for (const store::Tag& name : *order) entries.push_back(known_.find(name)->second);
  }
  return entries;
}

void RequestBook::was_rewritten() {
  forgotten_ = 0;
  forgotten_since_.reset();
}

}  // namespace jme::service
