#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <jme/pipeline/row_rules.hpp>
#include <jme/store/durable_stream.hpp>

#include "service/request_book.hpp"

namespace jme::service {

/// What is on disk beside a served stream, sealed, and only ever added to until it is rewritten as a whole:
/// the requests that were taken and, where rows per person are limited, whose rows were counted.
class Journal {
 public:
  /// Reads what is there. The limit of `rules`, where it has one, goes on from it.
  Journal(const DurableStream& stream, RowRules& rules, std::int64_t now);

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
  /// Gives what is new, or all of it, to the stream for its next commit.
  void write(DurableStream& stream, RowRules& rules, std::int64_t now);

 private:
  std::optional<RequestBook> book_;
  std::vector<BookEntry> fresh_;
};

}  // namespace jme::service
