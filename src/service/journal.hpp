#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <jme/store/durable_stream.hpp>

#include "service/request_book.hpp"

namespace jme::service {

/// The requests that a served stream took, as they are in its journal.
class Journal {
 public:
  /// Reads what is there.
  Journal(const DurableStream& stream, std::int64_t now);

  /// Whether the stream has begun; begin() makes it so.
  [[nodiscard]] bool has_begun() const { return book_.has_value(); }
  void begin(DurableStream& stream);
  /// From then on.
  [[nodiscard]] RequestBook& book() { return *book_; }

  /// Takes a request into the next commit.
  void add(BookEntry entry);
  /// Whether records have become so old that they must leave the disk, and when that is so the next time.
  [[nodiscard]] bool must_be_rewritten(std::int64_t now);
  [[nodiscard]] std::optional<std::int64_t> rewriting_due() const;
  /// Adds what is new, or all of it, to the next commit.
  void write(JournalEntries& journal, std::int64_t now);

 private:
  std::optional<RequestBook> book_;
  std::vector<BookEntry> fresh_;
};

}  // namespace jme::service
