#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/pipeline/person_limit.hpp>

#include "store/sip_hash.hpp"

namespace jme {

namespace {

constexpr std::size_t bytes_of_record = 12;
constexpr std::uint64_t most_rows_per_person = std::numeric_limits<std::uint32_t>::max();

/// Places run through the table in the order of digests, so that any size will do.
std::size_t scaled(std::uint64_t digest, std::size_t size) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((static_cast<Wide>(digest) * size) >> 64);
}

std::uint64_t checked_rows(std::uint64_t rows) {
  if (rows < 1 || rows > most_rows_per_person) {
    throw InvalidParameter("rows-per-person", static_cast<double>(rows),
                           "a whole number from 1 to 4294967295");
  }
  return rows;
}

}  // namespace

PersonLimit::PersonLimit(std::uint64_t rows, const Key& key)
    : rows_(checked_rows(rows)), key_(key), table_(64) {}

PersonLimit::Digest PersonLimit::digest_of(std::string_view id) const {
  const auto words = store::SipHash(key_).digest(std::as_bytes(std::span(id)));
  return {.place = words[0], .rest = static_cast<std::uint32_t>(words[1])};
}

std::size_t PersonLimit::find(const Digest& digest) const {
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

void PersonLimit::grow() {
  // By half: never more than 7/8 and, after the first people, never less than 4/7 of the table is used.
  const std::vector<Entry> before =
      std::exchange(table_, std::vector<Entry>(table_.size() + table_.size() / 2));
  for (const Entry& entry : before) {
    if (entry.count == 0) continue;
    table_[find({.place = (std::uint64_t{entry.first} << 32) | entry.second, .rest = entry.rest})] = entry;
  }
}

bool PersonLimit::count(const Digest& digest) {
  Entry* entry = &table_[find(digest)];
  if (entry->count == 0) {
    if (8 * (people_ + 1) > 7 * table_.size()) {
      grow();
      entry = &table_[find(digest)];
    }
    *entry = {.first = static_cast<std::uint32_t>(digest.place >> 32),
              .second = static_cast<std::uint32_t>(digest.place),
              .rest = digest.rest,
              .count = 0};
    ++people_;
  }
  if (entry->count >= rows_) return false;
  ++entry->count;
  return true;
}

bool PersonLimit::admit(const PersonId& id) {
  if (!id) return false;
  const Digest digest = digest_of(*id);
  const bool counts = count(digest);
  if (counts && records_) {
    std::array<std::byte, bytes_of_record> record{};
    std::memcpy(record.data(), &digest.place, 8);
    std::memcpy(record.data() + 8, &digest.rest, 4);
    records_->insert(records_->end(), record.begin(), record.end());
  }
  return counts;
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

PersonLimit PersonLimit::restored(std::uint64_t rows, std::span<const std::byte> pieces) {
  std::array<std::uint8_t, 32> key{};
  if (pieces.size() < key.size() || (pieces.size() - key.size()) % bytes_of_record != 0) {
    throw StateError("the state is damaged: what it keeps of people has another size");
  }
  std::memcpy(key.data(), pieces.data(), key.size());
  PersonLimit limit(rows, Key(key));
  limit.records_.emplace();
  for (auto rest = pieces.subspan(key.size()); !rest.empty(); rest = rest.subspan(bytes_of_record)) {
    Digest digest{};
    std::memcpy(&digest.place, rest.data(), 8);
    std::memcpy(&digest.rest, rest.data() + 8, 4);
    if (!limit.count(digest)) {
      throw StateError("the state is damaged: more records of a person count than may");
    }
  }
  return limit;
}

}  // namespace jme
