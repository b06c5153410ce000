#include "service/journal.hpp"

#include <string_view>
#include <utility>

namespace jme::service {

namespace {

constexpr std::string_view purpose_of_digests = "requests of a served stream";

}  // namespace

Journal::Journal(const DurableStream& stream, std::int64_t now) {
  const std::optional<Key> key = stream.front_key(purpose_of_digests);
  if (!key) return;
  book_.emplace(*key);
  stream.read_journal(JournalOf::requests,
                      [&](std::span<const std::byte> record) { book_->add(BookEntry::decoded(record)); });
  book_->forget(now);
}

void Journal::begin(DurableStream& stream) {
  if (book_) return;
  stream.begin();
  book_.emplace(*stream.front_key(purpose_of_digests));
}

void Journal::add(BookEntry entry) {
  if (book_->must_be_kept(entry)) fresh_.push_back(entry);
  book_->add(std::move(entry));
}

bool Journal::must_be_rewritten(std::int64_t now) {
  if (!book_) return false;
  book_->forget(now);
  return book_->must_be_rewritten(now);
}

std::optional<std::int64_t> Journal::rewriting_due() const {
  return book_ ? book_->rewriting_due() : std::nullopt;
}

void Journal::write(JournalEntries& journal, std::int64_t now) {
  std::vector<BookEntry> entries = std::exchange(fresh_, {});
  if (must_be_rewritten(now)) {
    journal.replace_all();
    entries = book_->known();
    book_->was_rewritten();
  }
  for (const BookEntry& entry : entries) journal.add(entry.encoded());
}

}  // namespace jme::service
