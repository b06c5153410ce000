#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <jme/random/key.hpp>

namespace jme {

/// Whose record a row is, as the input has it: any bytes. None for a record that is nobody's.
using PersonId = std::optional<std::string_view>;

/// Says which records count where a person may contribute only so many: the first ones that carry the
/// person's id. Ids alone decide, never what else is in a record, or whether it can be read
/// (src/pipeline/GUARANTEES.md#people).
///
/// Keeps 96 bits of a keyed digest and a count for every person, 16 bytes in a table that is at least four
/// sevenths full once it is large. Two of N people have the same digest with probability below N^2 / 2^97:
/// 6.4e-16 for ten million.
class PersonLimit {
 public:
  /// At most `rows` records of a person count; `key` must be secret and random. Throws InvalidParameter.
  PersonLimit(std::uint64_t rows, const Key& key);

  /// Takes note of the next record, and says whether it counts. A record that is nobody's does not.
  bool admit(const PersonId& id);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t people() const { return people_; }  ///< data; only their owner may see it
  [[nodiscard]] std::size_t bytes() const { return table_.size() * sizeof(Entry); }

  // For sources that do not give their rows again: what must be kept with the rows, in secret, so that
  // another process can go on.
  /// From now on, remembers the records that count. The first piece that is taken begins with the key.
  void keep_records();
  /// For a process that is given all records again from the first one: goes on keeping them under the key of
  /// these pieces, which have those that came before. Comes before the first record.
  void keep_records_after(std::span<const std::byte> pieces);
  /// What is new since the last call.
  [[nodiscard]] std::vector<std::byte> take_records();
  /// A limit that has seen all records of these pieces, which are in the order in which they were taken.
  /// Throws StateError for anything else.
  [[nodiscard]] static PersonLimit restored(std::uint64_t rows, std::span<const std::byte> pieces);

 private:
  struct Digest {
    std::uint64_t place;  // which also is the first part of the digest
    std::uint32_t rest;
  };
  struct Entry {
    std::uint32_t first, second, rest;
    std::uint32_t count;  // 0: nobody
  };
  [[nodiscard]] Digest digest_of(std::string_view id) const;
  /// Where this person is, or would be.
  [[nodiscard]] std::size_t find(const Digest& digest) const;
  bool count(const Digest& digest);
  void grow();

  std::uint64_t rows_;
  Key key_;
  std::uint64_t people_ = 0;
  std::vector<Entry> table_;
  std::optional<std::vector<std::byte>> records_{};
};

}  // namespace jme
