#include "store/column_digests.hpp"

#include <cmath>
#include <limits>

#include "store/bytes.hpp"

namespace jme::store {

namespace {

constexpr std::size_t column_buffer = 512;

}  // namespace

ColumnDigests::ColumnDigests(const StreamKeys& keys, const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    columns_.push_back({.hmac = Hmac(keys.rows())});
    columns_.back().hmac.add(ByteWriter().text("jme searched column").text(column).bytes());
  }
}

void ColumnDigests::Column::flush() {
  hmac.add(bytes_of(buffer));
  buffer.clear();
}

void ColumnDigests::add(std::span<const double> row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (column.buffer.size() == column_buffer) column.flush();
    column.buffer.push_back(std::isnan(row[i]) ? std::numeric_limits<double>::quiet_NaN() : row[i]);
  }
}

std::vector<Tag> ColumnDigests::close() {
  std::vector<Tag> tags;
  for (Column& column : columns_) {
    column.flush();
    tags.push_back(column.hmac.tag());
  }
  return tags;
}

}  // namespace jme::store
