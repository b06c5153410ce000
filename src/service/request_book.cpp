#include "service/request_book.hpp"

#include <utility>

namespace jme::service {

namespace {

constexpr std::uint64_t entry_version = 1;

constexpr std::string_view kind_of(const WriteRequest& request) {
  if (request.content == WriteRequest::Content::block) return "block";
  return request.repeats == WriteRequest::Repeats::by_rows ? "rows" : "key";
}

}  // namespace

store::Bytes BookEntry::encoded() const {
  return store::ByteWriter()
      .number(entry_version)
      .raw(name)
      .raw(body)
      .number(static_cast<std::uint64_t>(has_name))
      .number(static_cast<std::uint64_t>(by_rows))
      .number(static_cast<std::uint64_t>(time))
      .number(first_row)
      .number(rows)
      .number(releases_before)
      .number(releases_after)
      .text(token)
      .bytes();
}

BookEntry BookEntry::decoded(std::span<const std::byte> record) {
  store::ByteReader reader(record);
  if (reader.value<std::uint64_t>() != entry_version) {
    throw StateError("a record of a request was written by a newer version of jme");
  }
  BookEntry entry;
  entry.name = reader.value<store::Tag>();
  entry.body = reader.value<store::Tag>();
  entry.has_name = reader.value<std::uint64_t>() != 0;
  entry.by_rows = reader.value<std::uint64_t>() != 0;
  entry.time = reader.value<std::int64_t>();
  entry.first_row = reader.value<std::uint64_t>();
  entry.rows = reader.value<std::uint64_t>();
  entry.releases_before = reader.value<std::uint64_t>();
  entry.releases_after = reader.value<std::uint64_t>();
  const auto token = reader.take(reader.value<std::uint64_t>());
  entry.token.assign(reinterpret_cast<const char*>(token.data()), token.size());
  return entry;
}

BookEntry RequestBook::entry_for(const WriteRequest& request, std::int64_t now) {
  BookEntry entry{.token = request.token, .time = now};
  entry.by_rows = request.repeats == WriteRequest::Repeats::by_rows;
  entry.has_name = request.repeats != WriteRequest::Repeats::unknown;
  if (!entry.has_name) return entry;
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
  if (!request.has_name) return nullptr;
  const auto found = known_.find(request.name);
  if (found == known_.end()) return nullptr;
  // Nothing is compared for another token: the answer would tell whether it guessed the body.
  if (found->second.token != request.token) {
    throw NotYours("this key or id was used first by another token, to which it belongs");
  }
  if (!store::equal(found->second.body, request.body)) {
    throw Conflict("a request with this key, id or range was taken before, with another body");
  }
  return &found->second;
}

bool RequestBook::must_be_kept(const BookEntry& request) const {
  return request.has_name || !writers_.contains(request.token);
}

void RequestBook::add(BookEntry entry) {
  ++writers_[entry.token];
  if (entry.by_rows) owner_of_rows_ = entry.token;
  forget_old(entry.time);
  if (!entry.has_name) return;
  order_.push_back(entry.name);
  known_[entry.name] = std::move(entry);
}

void RequestBook::forget_old(std::int64_t now) {
  while (!order_.empty()) {
    const auto oldest = known_.find(order_.front());
    if (order_.size() < most_known && oldest->second.time + seconds_known > now) return;
    known_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace jme::service
