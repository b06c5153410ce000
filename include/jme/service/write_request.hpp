#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>

namespace jme {

/// A name under which a request was sent belongs to another token, which is all that is said about it.
class NotYours : public Error {
 public:
  using Error::Error;
};

/// The request contradicts what was taken before. It never says which row differs.
class Conflict : public Error {
 public:
  using Error::Error;
};

/// A request of the same name was taken before, with another body: that one stays, and of this one nothing
/// was taken.
class OtherBody : public Conflict {
 public:
  using Conflict::Conflict;
};

/// The disk is full or fails. Nothing was answered, so the same request can be sent again.
class StorageFailed : public Error {
 public:
  using Error::Error;
};

/// The machine's memory, or the files that the process may have open, do not suffice for one more stream.
/// Nothing was created.
class TooFewResources : public Error {
 public:
  using Error::Error;
};

/// A body whose rows, or the releases that they end, would take too much memory, however few bytes it has:
/// fewer rows must come at a time.
class TooManyRows : public Error {
 public:
  using Error::Error;
};

/// Too many rows wait to be written. Nothing was taken: the same request can be sent again later.
class Busy : public Error {
 public:
  using Error::Error;
};

/// How large the rows of a request may be.
struct RowLimits {
  std::size_t longest_record = std::size_t{1}
                               << 20;               ///< bytes of one row in a body; longer ones are bad rows
  std::size_t most_bytes = std::size_t{128} << 20;  ///< of memory for the rows of one body
};

/// Rows, or the sums of rows, that somebody sends to a stream.
struct WriteRequest {
  enum class Content { csv, ndjson, block };
  /// How the stream knows a request that comes again: not at all, by a key that the sender chose, or by the
  /// numbers of its rows. A block always has a key, its id.
  enum class Repeats { unknown, by_key, by_rows };

  std::string token;  ///< id of the token of the sender
  Content content = Content::csv;
  std::string body;
  Repeats repeats = Repeats::unknown;
  std::string key{};                          ///< by_key
  std::uint64_t first_row = 0, last_row = 0;  ///< by_rows: counted from 0, both included
  /// Of a block: the job that makes it, such as a query of Spark; empty where nobody says. All blocks of a
  /// stream that say it come from the same one: a job that begins anew would give its rows again.
  std::string origin{};
};

/// Cells of a request that lie outside of the bounds of their column and are clamped to them.
struct ClampedCells {
  std::size_t column;               ///< its index, from 0
  std::uint64_t cells;              ///< that the request has in this column and that could be read
  std::uint64_t low = 0, high = 0;  ///< of them, those below LOW and above HIGH
};

/// What became of it. Numbers are those of the sender's own rows, and for senders alone.
struct WriteAnswer {
  std::uint64_t rows = 0;    ///< in the request
  std::uint64_t unread = 0;  ///< of them, those that could not be read
  /// By column, where there were any. A function of the request's own records and of the bounds: neither the
  /// limit of a person nor anything that came before changes it.
  std::vector<ClampedCells> clamped{};
  /// The place of its first row in the stream, from 0; none where steps are slots of time: there the number
  /// of rows is private, also to those who send some of them.
  std::optional<std::uint64_t> first_row{};
  std::optional<Seconds> slot_end{};      ///< when the slot ends in which its rows count
  std::vector<std::uint64_t> released{};  ///< t of the releases that it made possible; they can be read now
  bool repeated = false;                  ///< it was taken before, and was not taken again
};

}  // namespace jme
