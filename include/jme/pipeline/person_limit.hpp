#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <jme/random/key.hpp>
#include <jme/store/commit.hpp>

namespace jme {

/// Whose record a row is, as the input has it: any bytes. None for a record that is nobody's.
using PersonId = std::optional<std::string_view>;

/// How many records of a person count; 0: no limit.
struct PersonRows {
  std::uint64_t in_all = 0;
  std::uint64_t in_window = 0;  ///< in each window of time
};

/// How what is kept of records (PersonLimit::keep_records) hides from its length which of them count.
///
/// Where the number of records is public, every record has an entry, whether it counts or not. Where it is
/// private, every piece has some entries more, a whole number of normal noise: the lengths of all pieces
/// together are then a Gaussian mechanism (src/pipeline/GUARANTEES.md#people).
struct KeptLengths {
  double deviation = 0;      ///< of the noise, in records; 0: their number is public
  std::optional<Key> key{};  ///< of the noise, secret; none: a new one from the system
  /// What it costs whoever sees the lengths besides all releases, as a part of the mu of the run. Together
  /// that is sqrt(1 + part^2) mu: two percent more.
  static constexpr double part_of_mu = 0.2;
  /// For records of a person that are protected with `mu`, `rows` of which count.
  [[nodiscard]] static KeptLengths noisy(double mu, std::uint64_t rows);
};

/// Says which records count where a person may contribute only so many: the first ones that carry the
/// person's id, in all and in each window of time. Ids (and windows) alone decide, never what else is in a
/// record, or whether it can be read (src/pipeline/GUARANTEES.md#people).
///
/// Keeps 96 bits of a keyed digest and a count for every person (and for every window of every person), 16
/// bytes in a table that is at least four sevenths full once it is large. Two of N people have the same
/// digest with probability below N^2 / 2^97: 6.4e-16 for ten million.
class PersonLimit {
 public:
  /// At most `rows` records of a person count; `key` must be secret and random. Throws InvalidParameter.
  PersonLimit(std::uint64_t rows, const Key& key) : PersonLimit(PersonRows{.in_all = rows}, key) {}
  PersonLimit(const PersonRows& rows, const Key& key, const KeptLengths& lengths = {});

  /// Takes note of the next record, and says whether it counts. A record that is nobody's does not, and where
  /// windows have limits one that is in no window does not.
  bool admit(const PersonId& id);
  /// The window of the records that come next; none: they are in none.
  void enter_window(std::optional<std::int64_t> window) { window_ = window; }
  /// The same where windows come one after another: what was counted in earlier ones is forgotten.
  void begin_window(std::int64_t window);

  [[nodiscard]] const PersonRows& rows() const { return rows_; }
  [[nodiscard]] bool has_windows() const { return rows_.in_window > 0; }
  /// Data; only their owner may see it. Where windows have limits, a person counts in each of them.
  [[nodiscard]] std::uint64_t people() const { return in_all_.size() + in_window_.size(); }
  [[nodiscard]] std::size_t bytes() const { return in_all_.bytes() + in_window_.bytes(); }

  // For sources that do not give their rows again: what must be kept with the rows, in secret, so that
  // another process can go on.
  /// From now on, remembers the records that count. The first piece that is taken begins with the key.
  /// Lengths of pieces, and which of them takes the place of the others, say nothing about which records
  /// count (KeptLengths), provided that one piece goes with every commit.
  void keep_records();
  /// For a process that is given all records again from the first one: goes on keeping them under the key of
  /// these pieces, which have those that came before. Comes before the first record.
  void keep_records_after(std::span<const std::byte> pieces);
  /// What is new since the last call.
  [[nodiscard]] std::vector<std::byte> take_records();
  /// Whether the pieces so far have become much longer than what has to be known.
  [[nodiscard]] bool must_be_rewritten() const;
  /// All that has to be known, in place of every piece before.
  [[nodiscard]] std::vector<std::byte> take_all_records();
  /// A limit that has seen all records of these pieces, which are in the order in which they were taken.
  /// Throws StateError for anything else.
  [[nodiscard]] static PersonLimit restored(const PersonRows& rows, std::span<const std::byte> pieces,
                                            const KeptLengths& lengths = {});
  [[nodiscard]] const KeptLengths& lengths() const { return lengths_; }

 private:
  struct Digest {
    std::uint64_t place;  // which also is the first part of the digest
    std::uint32_t rest;
  };
  /// How many records of every digest counted.
  class Counts {
   public:
    /// Counts one more, unless there are `most` already.
    bool add(const Digest& digest, std::uint64_t most);
    [[nodiscard]] std::uint32_t of(const Digest& digest) const { return table_[find(digest)].count; }
    [[nodiscard]] std::uint64_t size() const { return used_; }
    [[nodiscard]] std::uint64_t counted() const { return counted_; }
    [[nodiscard]] std::size_t bytes() const { return table_.size() * sizeof(Entry); }
    /// Calls `take` with every digest, as often as it was counted.
    template <class Take>
    void for_each(const Take& take) const;

   private:
    struct Entry {
      std::uint32_t first, second, rest;
      std::uint32_t count;  // 0: nobody
    };
    /// Where this digest is, or would be.
    [[nodiscard]] std::size_t find(const Digest& digest) const;
    void grow();
    std::uint64_t used_ = 0, counted_ = 0;
    std::vector<Entry> table_ = std::vector<Entry>(64);
  };
  /// Entries of pieces. `nobody` stands for a record that does not count, or for none at all; `piece_ends` is
  /// there where lengths have noise; the last two begin a piece that has everything.
  enum class Record : std::uint8_t {
    counted_in_all,
    counted_in_window,
    window_begins,
    nobody,
    piece_ends,
    sum_of_all,
    sum_of_window
  };
  /// What is public about entries of one kind: how many there were, and in how many pieces.
  struct Sum {
    std::uint64_t entries = 0;
    std::uint32_t pieces = 0;
  };
  /// No more records than that count, but with a probability below 1e-18.
  [[nodiscard]] std::uint64_t most_in(const Sum& sum) const;
  /// Entries of a piece that has everything.
  [[nodiscard]] std::uint64_t most_entries() const;
  [[nodiscard]] bool count(const PersonId& id);
  void take_note_of(Record kind, const Digest& digest);
  void add_nobody(std::uint64_t records);
  void end_piece();
  void begin_with_key();
  [[nodiscard]] Digest digest_of(std::string_view id) const;
  [[nodiscard]] Digest digest_in_window(std::string_view id);
  void keep(Record kind, const Digest& digest);
  void take_kept(Record kind, const Digest& digest);
  void take_counted(Record kind, const Digest& digest);

  PersonRows rows_;
  Key key_;
  Counts in_all_, in_window_;
  std::optional<std::int64_t> window_{};  // of the next record
  std::optional<std::int64_t> begun_{};   // the last one that began
  std::vector<char> with_window_;         // an id after its window
  std::optional<std::vector<std::byte>> records_{};
  KeptLengths lengths_;
  Sum of_all_{}, of_window_{};          // entries of each kind, those of nobody included
  std::uint64_t of_window_before_ = 0;  // of_window_ without the piece that is not taken yet
  std::uint64_t entries_kept_ = 0;      // in all pieces that were not replaced
  std::uint64_t pieces_drawn_ = 0;      // by this process: every piece has noise of its own
};

/// What has become known since the last commit, or all of it where that is due.
void add_records(PersonLimit& limit, JournalEntries& journal);

}  // namespace jme
