#include "store/row_digest.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/bytes.hpp"

namespace jme::store {

namespace {

constexpr std::size_t buffered = 4096;  // numbers; a call of the hash costs as much as some rows

}  // namespace

RowDigest::RowDigest(const StreamKeys& keys, std::size_t every, std::uint64_t row)
    : hmac_(keys.rows()), mark_(keys.row_marks()), marks_rows_(every > 1), row_(row) {
  buffer_.reserve(buffered);
}

void RowDigest::add(std::span<const double> row) {
  if (buffer_.size() + row.size() > buffered) flush();
  buffer_.insert(buffer_.end(), row.begin(), row.end());
  if (marks_rows_) marks_.push_back(static_cast<std::uint16_t>(mark_(row_, row)));
  ++row_;
}

void RowDigest::flush() {
  hmac_.add(bytes_of(buffer_));
  buffer_.clear();
}

BlockDigest RowDigest::close() {
  flush();
  // All rows have the stream's width, so the numbers and the place of the last row determine the places of
  // all rows.
  hmac_.add(ByteWriter().number(row_).bytes());
  return {.rows = hmac_.tag(), .marks = std::exchange(marks_, {})};
}

BlockDigest digest_of_sums(const StreamKeys& keys, std::string_view id, std::span<const std::byte> sums) {
  BlockDigest digest;
  digest.rows = Hmac(keys.rows()).tag(ByteWriter().text("jme block sums").text(id).field(sums).bytes());
  const Tag name = Hmac(keys.block_ids()).tag(ByteWriter().text("jme block id").text(id).bytes());
  digest.marks.resize(sizeof name / sizeof(std::uint16_t));
  std::memcpy(digest.marks.data(), name.data(), sizeof name);
  return digest;
}

std::size_t first_difference(const BlockDigest& a, const BlockDigest& b) {
  const auto found = std::mismatch(a.marks.begin(), a.marks.end(), b.marks.begin(), b.marks.end());
  return static_cast<std::size_t>(found.first - a.marks.begin());
}

}  // namespace jme::store
