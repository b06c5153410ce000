#include "store/block_digest.hpp"

#include "store/bytes.hpp"

namespace jme::store {

namespace {

constexpr std::size_t buffered = 4096;  // numbers; a call of the hash costs as much as some rows

}  // namespace

BlockDigest::BlockDigest(const StreamKeys& keys, std::uint64_t row) : hmac_(keys.rows()), row_(row) {
  buffer_.reserve(buffered);
}

void BlockDigest::add(const MatrixView& rows) {
  row_ += rows.rows;
  const bool is_dense =
      rows.column_stride == 1 && rows.row_stride == static_cast<std::ptrdiff_t>(rows.columns);
  if (is_dense && rows.rows * rows.columns >= buffered) {
    flush();
    return hmac_.add(std::as_bytes(std::span(rows.data, rows.rows * rows.columns)));
  }
  for (std::size_t r = 0; r < rows.rows; ++r) {
    if (buffer_.size() + rows.columns > buffered) flush();
    for (std::size_t j = 0; j < rows.columns; ++j) buffer_.push_back(rows.at(r, j));
  }
}

void BlockDigest::flush() {
  hmac_.add(bytes_of(buffer_));
  buffer_.clear();
}

Tag BlockDigest::close() {
  flush();
  // All rows have the stream's width, so the numbers and the place of the last row determine the places of
  // all rows.
  hmac_.add(ByteWriter().number(row_).bytes());
  return hmac_.tag();
}

Tag digest_of_sums(const StreamKeys& keys, std::string_view place, std::span<const std::byte> sums) {
  return Hmac(keys.rows()).tag(ByteWriter().text("jme block sums").text(place).field(sums).bytes());
}

Tag digest_of_id(const StreamKeys& keys, std::string_view id) {
  return Hmac(keys.block_ids()).tag(ByteWriter().text("jme block id").text(id).bytes());
}

}  // namespace jme::store
