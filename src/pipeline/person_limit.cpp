#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/pipeline/person_limit.hpp>

#include "store/sip_hash.hpp"

namespace jme {

namespace {

constexpr std::size_t bytes_of_record = 13;  // its kind and its digest
constexpr std::uint64_t most_rows_per_person = std::numeric_limits<std::uint32_t>::max();

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
  return true;
}

PersonLimit::PersonLimit(const PersonRows& rows, const Key& key) : rows_(checked_rows(rows)), key_(key) {}

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
}

void PersonLimit::keep_records() {
  if (records_) return;
  records_.emplace();
  const auto key = std::as_bytes(std::span(key_.bytes()));
  records_->assign(key.begin(), key.end());
}

void PersonLimit::keep_records_after(std::span<const std::byte> pieces) {
  key_ = restored(rows_, pieces).key_;
  records_.emplace();
}

std::vector<std::byte> PersonLimit::take_records() {
  if (!records_) return {};
  return std::exchange(*records_, {});
}

void PersonLimit::take_kept(Record kind, const Digest& digest) {
  if (kind == Record::window_begins) return begin_window(static_cast<std::int64_t>(digest.place));
  const bool is_in_all = kind == Record::counted_in_all;
  const std::uint64_t most = is_in_all ? rows_.in_all : rows_.in_window;
  Counts& counts = is_in_all ? in_all_ : in_window_;
  if (kind > Record::window_begins || !counts.add(digest, most)) {
    throw StateError("the state is damaged: more records of a person count than may");
  }
}

PersonLimit PersonLimit::restored(const PersonRows& rows, std::span<const std::byte> pieces) {
  std::array<std::uint8_t, 32> key{};
  if (pieces.size() < key.size() || (pieces.size() - key.size()) % bytes_of_record != 0) {
    throw StateError("the state is damaged: what it keeps of people has another size");
  }
  std::memcpy(key.data(), pieces.data(), key.size());
  PersonLimit limit(rows, Key(key));
  for (auto rest = pieces.subspan(key.size()); !rest.empty(); rest = rest.subspan(bytes_of_record)) {
    Digest digest{};
    std::memcpy(&digest.place, rest.data() + 1, 8);
    std::memcpy(&digest.rest, rest.data() + 9, 4);
    limit.take_kept(static_cast<Record>(rest.front()), digest);
  }
  limit.records_.emplace();
  return limit;
}

}  // namespace jme
