#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/pipeline/person_limit.hpp>

#include "random/gaussian_source.hpp"
#include "store/sip_hash.hpp"

namespace jme {

namespace {

constexpr std::size_t bytes_of_record = 13;  // its kind and its digest
constexpr std::uint64_t most_rows_per_person = std::numeric_limits<std::uint32_t>::max();

// A piece is lengthened by this many deviations and the noise: below zero, where nothing can be taken away,
// the noise falls with a probability of 1e-19.
constexpr double deviations_of_length = 9;
// Pieces are rewritten where that halves them, and saves more than this.
constexpr std::uint64_t few_entries = std::uint64_t{1} << 16;

// What an entry of nobody stands for.
constexpr std::uint32_t in_all_too = 0, in_window_too = 1;

/// Places run through the table in the order of digests, so that any size will do.
std::size_t scaled(std::uint64_t digest, std::size_t size) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((static_cast<Wide>(digest) * size) >> 64);
}

PersonRows checked_rows(const PersonRows& rows) {
  for (const std::uint64_t limit : {rows.in_all, rows.in_window}) {
    if ((rows.in_all > 0 || rows.in_window > 0) && limit <= most_rows_per_person) continue;
    throw InvalidParameter("rows-per-person", static_cast<double>(limit),
                           "a whole number from 1 to 4294967295");
  }
  return rows;
}

}  // namespace

std::size_t PersonLimit::Counts::find(const Digest& digest) const {
  const auto first = static_cast<std::uint32_t>(digest.place >> 32),
             second = static_cast<std::uint32_t>(digest.place);
  std::size_t at = scaled(digest.place, table_.size());
  for (;;) {
    const Entry& entry = table_[at];
    if (entry.count == 0) return at;
    if (entry.first == first && entry.second == second && entry.rest == digest.rest) return at;
    if (++at == table_.size()) at = 0;
  }
}

void PersonLimit::Counts::grow() {
  // By half: never more than 7/8 and, after the first people, never less than 4/7 of the table is used.
  const std::vector<Entry> before =
      std::exchange(table_, std::vector<Entry>(table_.size() + table_.size() / 2));
  for (const Entry& entry : before) {
    if (entry.count == 0) continue;
    table_[find({.place = (std::uint64_t{entry.first} << 32) | entry.second, .rest = entry.rest})] = entry;
  }
}

bool PersonLimit::Counts::add(const Digest& digest, std::uint64_t most) {
  Entry* entry = &table_[find(digest)];
  if (entry->count == 0) {
    if (8 * (used_ + 1) > 7 * table_.size()) {
      grow();
      entry = &table_[find(digest)];
    }
    *entry = {.first = static_cast<std::uint32_t>(digest.place >> 32),
              .second = static_cast<std::uint32_t>(digest.place),
              .rest = digest.rest,
              .count = 0};
    ++used_;
  }
  if (entry->count >= most) return false;
  ++entry->count;
  ++counted_;
  return true;
}

template <class Take>
void PersonLimit::Counts::for_each(const Take& take) const {
  for (const Entry& entry : table_) {
    const Digest digest{.place = (std::uint64_t{entry.first} << 32) | entry.second, .rest = entry.rest};
    for (std::uint32_t i = 0; i < entry.count; ++i) take(digest);
  }
}

KeptLengths KeptLengths::noisy(double mu, std::uint64_t rows) {
  return {.deviation = static_cast<double>(rows) / (part_of_mu * mu)};
}

PersonLimit::PersonLimit(const PersonRows& rows, const Key& key, const KeptLengths& lengths)
    : rows_(checked_rows(rows)), key_(key), lengths_(lengths) {}

PersonLimit::Digest PersonLimit::digest_of(std::string_view id) const {
  const auto words = store::SipHash(key_).digest(std::as_bytes(std::span(id)));
  return {.place = words[0], .rest = static_cast<std::uint32_t>(words[1])};
}

PersonLimit::Digest PersonLimit::digest_in_window(std::string_view id) {
  with_window_.resize(sizeof *window_);
  std::memcpy(with_window_.data(), &*window_, sizeof *window_);
  with_window_.insert(with_window_.end(), id.begin(), id.end());
  return digest_of({with_window_.data(), with_window_.size()});
}

bool PersonLimit::admit(const PersonId& id) {
  const bool counts = count(id);
  if (!counts && records_ && lengths_.deviation == 0) add_nobody(1);
  return counts;
}

bool PersonLimit::count(const PersonId& id) {
  if (!id) return false;
  if (has_windows() && !window_) return false;
  if (!has_windows()) {
    const Digest digest = digest_of(*id);
    if (!in_all_.add(digest, rows_.in_all)) return false;
    keep(Record::counted_in_all, digest);
    return true;
  }
  const Digest digest = digest_of(*id), in_window = digest_in_window(*id);
  const bool is_limited_in_all = rows_.in_all > 0;
  if (is_limited_in_all && in_all_.of(digest) >= rows_.in_all) return false;
  if (!in_window_.add(in_window, rows_.in_window)) return false;
  keep(Record::counted_in_window, in_window);
  if (!is_limited_in_all) return true;
  in_all_.add(digest, rows_.in_all);
  keep(Record::counted_in_all, digest);
  return true;
}

void PersonLimit::begin_window(std::int64_t window) {
  window_ = window;
  if (begun_ == window) return;
  begun_ = window;
  in_window_ = {};
  keep(Record::window_begins, {.place = static_cast<std::uint64_t>(window), .rest = 0});
}

void PersonLimit::keep(Record kind, const Digest& digest) {
  if (!records_) return;
  std::array<std::byte, bytes_of_record> record{static_cast<std::byte>(kind)};
  std::memcpy(record.data() + 1, &digest.place, 8);
  std::memcpy(record.data() + 9, &digest.rest, 4);
  records_->insert(records_->end(), record.begin(), record.end());
  take_note_of(kind, digest);
}

// What is public about the entries: their number does not tell which of them are of somebody.
void PersonLimit::take_note_of(Record kind, const Digest& digest) {
  ++entries_kept_;
  switch (kind) {
    case Record::counted_in_all:
      ++of_all_.entries;
      break;
    case Record::counted_in_window:
      ++of_window_.entries;
      break;
    case Record::nobody:
      ++(digest.rest == in_all_too ? of_all_ : of_window_).entries;
      break;
    case Record::window_begins:  // the piece that is under way counts as a whole
      of_window_ = {.entries = of_window_.entries - of_window_before_, .pieces = 0};
      of_window_before_ = 0;
      break;
    case Record::piece_ends:
      ++of_all_.pieces;
      ++of_window_.pieces;
      of_window_before_ = of_window_.entries;
      break;
    case Record::sum_of_all:
      of_all_ = {.entries = digest.place, .pieces = digest.rest};
      break;
    case Record::sum_of_window:
      of_window_ = {.entries = digest.place, .pieces = digest.rest};
      of_window_before_ = of_window_.entries;
      break;
  }
}

void PersonLimit::add_nobody(std::uint64_t records) {
  for (std::uint64_t i = 0; i < records; ++i) {
    if (has_windows()) keep(Record::nobody, {.place = 0, .rest = in_window_too});
    if (rows_.in_all > 0) keep(Record::nobody, {.place = 0, .rest = in_all_too});
  }
}

void PersonLimit::end_piece() {
  if (lengths_.deviation == 0) return;
  const GaussianSource noise(*lengths_.key, Nonce{});
  const double more = noise.nearest_whole(
      Channel::first, pieces_drawn_++, 0,
      {.scale = lengths_.deviation, .ratio = 1, .offset = deviations_of_length * lengths_.deviation});
  add_nobody(static_cast<std::uint64_t>(std::max(more, 0.0)));
  keep(Record::piece_ends, {});
}

std::uint64_t PersonLimit::most_in(const Sum& sum) const {
  if (lengths_.deviation == 0) return sum.entries;
  const double pieces = sum.pieces, shift = deviations_of_length * lengths_.deviation;
  const double most =
      static_cast<double>(sum.entries) - pieces * shift + shift * std::sqrt(pieces) + pieces / 2;
  return std::min(sum.entries, static_cast<std::uint64_t>(std::ceil(std::max(most, 0.0))));
}

std::uint64_t PersonLimit::most_entries() const {
  return (rows_.in_all > 0 ? most_in(of_all_) : 0) + (has_windows() ? most_in(of_window_) : 0);
}

void PersonLimit::begin_with_key() {
  records_.emplace();
  const auto key = std::as_bytes(std::span(key_.bytes()));
  records_->assign(key.begin(), key.end());
}

void PersonLimit::keep_records() {
  if (records_) return;
  if (!lengths_.key) lengths_.key = Key::from_system();
  begin_with_key();
}

void PersonLimit::keep_records_after(std::span<const std::byte> pieces) {
  const PersonLimit before = restored(rows_, pieces, lengths_);
  key_ = before.key_;
  lengths_ = before.lengths_;
  records_.emplace();
}

std::vector<std::byte> PersonLimit::take_records() {
  if (!records_) return {};
  end_piece();
  return std::exchange(*records_, {});
}

bool PersonLimit::must_be_rewritten() const {
  return records_ && entries_kept_ > 2 * most_entries() + few_entries;
}

std::vector<std::byte> PersonLimit::take_all_records() {
  if (!records_) return {};
  end_piece();
  const Sum all = of_all_, window = of_window_;
  const std::uint64_t in_all = in_all_.counted(), in_window = in_window_.counted(), most = most_entries();
  begin_with_key();
  entries_kept_ = 0;
  in_all_.for_each([&](const Digest& digest) { keep(Record::counted_in_all, digest); });
  if (begun_) keep(Record::window_begins, {.place = static_cast<std::uint64_t>(*begun_), .rest = 0});
  in_window_.for_each([&](const Digest& digest) { keep(Record::counted_in_window, digest); });
  for (std::uint64_t i = in_all + in_window; i < most; ++i) keep(Record::nobody, {});
  keep(Record::sum_of_all, {.place = all.entries, .rest = all.pieces});
  keep(Record::sum_of_window, {.place = window.entries, .rest = window.pieces});
  return std::exchange(*records_, {});
}

void PersonLimit::take_counted(Record kind, const Digest& digest) {
  const bool is_in_all = kind == Record::counted_in_all;
  Counts& counts = is_in_all ? in_all_ : in_window_;
  if (counts.add(digest, is_in_all ? rows_.in_all : rows_.in_window)) return;
  throw StateError("the state is damaged: more records of a person count than may");
}

void PersonLimit::take_kept(Record kind, const Digest& digest) {
  if (kind > Record::sum_of_window) throw StateError("the state is of a newer version, or damaged");
  if (kind == Record::counted_in_all || kind == Record::counted_in_window) take_counted(kind, digest);
  if (kind == Record::window_begins) begin_window(static_cast<std::int64_t>(digest.place));
  take_note_of(kind, digest);
}

PersonLimit PersonLimit::restored(const PersonRows& rows, std::span<const std::byte> pieces,
                                  const KeptLengths& lengths) {
  std::array<std::uint8_t, 32> key{};
  if (pieces.size() < key.size() || (pieces.size() - key.size()) % bytes_of_record != 0) {
    throw StateError("the state is damaged: what it keeps of people has another size");
  }
  std::memcpy(key.data(), pieces.data(), key.size());
  PersonLimit limit(rows, Key(key), lengths);
  for (auto rest = pieces.subspan(key.size()); !rest.empty(); rest = rest.subspan(bytes_of_record)) {
    Digest digest{};
    std::memcpy(&digest.place, rest.data() + 1, 8);
    std::memcpy(&digest.rest, rest.data() + 9, 4);
    limit.take_kept(static_cast<Record>(rest.front()), digest);
  }
  limit.records_.emplace();
  if (!limit.lengths_.key) limit.lengths_.key = Key::from_system();
  return limit;
}

void add_records(PersonLimit& limit, JournalEntries& journal) {
  if (!limit.must_be_rewritten()) return journal.add(limit.take_records());
  journal.replace_all();
  journal.add(limit.take_all_records());
}

}  // namespace jme
