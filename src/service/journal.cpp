#include "service/journal.hpp"

#include <algorithm>
#include <utility>

#include <jme/base/errors.hpp>

#include "store/bytes.hpp"

namespace jme::service {

namespace {

constexpr std::string_view purpose_of_digests = "requests of a served stream";

constexpr std::size_t piece_of_people = std::size_t{1} << 20;

/// What a record is about.
enum class About : std::uint64_t { request = 1, people = 2 };

store::Bytes record_of(About about, std::span<const std::byte> content) {
  store::Bytes record = store::ByteWriter().number(static_cast<std::uint64_t>(about)).bytes();
  record.insert(record.end(), content.begin(), content.end());
  return record;
}

/// Calls `take` with the content of every record about this.
template <class Take>
void read_journal(const DurableStream& stream, About wanted, const Take& take) {
  stream.journal_before([&](std::span<const std::byte> record) {
    const auto about = store::ByteReader(record).value<std::uint64_t>();
    if (about != static_cast<std::uint64_t>(About::request) &&
        about != static_cast<std::uint64_t>(About::people)) {
      throw StateError("a record of a served stream was written by a newer version of jme");
    }
    if (about == static_cast<std::uint64_t>(wanted)) take(record.subspan(sizeof about));
  });
}

std::vector<std::byte> people_before(const DurableStream& stream) {
  std::vector<std::byte> people;
  read_journal(stream, About::people, [&](std::span<const std::byte> piece) {
    people.insert(people.end(), piece.begin(), piece.end());
  });
  return people;
}

}  // namespace

Journal::Journal(const DurableStream& stream, RowRules& rules, std::int64_t now) {
  if (const std::optional<Key> key = stream.front_key(purpose_of_digests)) {
    book_.emplace(*key);
    read_journal(stream, About::request,
                 [&](std::span<const std::byte> record) { book_->add(BookEntry::decoded(record)); });
    book_->forget(now);
  }
  if (PersonLimit* const limit = rules.person_limit()) {
    const std::vector<std::byte> people = people_before(stream);
    if (people.empty()) {
      limit->keep_records();
    } else {
      *limit = PersonLimit::restored(limit->rows(), people, limit->lengths());
    }
  }
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

void Journal::write(DurableStream& stream, RowRules& rules, std::int64_t now) {
  PersonLimit* const limit = rules.person_limit();
  std::vector<BookEntry> entries = std::exchange(fresh_, {});
  std::vector<std::byte> people;
  if (!must_be_rewritten(now) && (limit == nullptr || !limit->must_be_rewritten())) {
    if (limit != nullptr) people = limit->take_records();
  } else {
    if (limit != nullptr) people = limit->take_all_records();
    entries = book_->known();
    stream.begin_journal();
    book_->was_rewritten();
  }
  for (const BookEntry& entry : entries) stream.journal(record_of(About::request, entry.encoded()));
  // In pieces, since a database holds no record of any length.
  for (std::size_t begin = 0; begin < people.size(); begin += piece_of_people) {
    const std::size_t length = std::min(piece_of_people, people.size() - begin);
    stream.journal(record_of(About::people, std::span(people).subspan(begin, length)));
  }
}

}  // namespace jme::service
