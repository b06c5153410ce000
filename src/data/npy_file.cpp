#include "data/npy_file.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"

namespace jme::data {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;
constexpr std::size_t initial_npy_buffer = std::size_t{1} << 16;

}  // namespace

NpyFile::NpyFile(const std::string& path, Compression compression, BeforeRead before_read)
    : bytes_(path, compression, std::move(before_read)), buffer_(initial_npy_buffer) {
  const char* const start = take_bytes(magic.size() + 2);
  if (start == nullptr || std::string_view(start, magic.size()) != magic)
    throw DataError(fmt::format("{}: is not a .npy file", name()));
  const auto version = static_cast<unsigned char>(start[magic.size()]);
  if (version < 1 || version > 3) throw DataError(fmt::format("{}: is of an unknown .npy version", name()));

  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const char* const stored_length = take_bytes(length_bytes);
  std::size_t length = 0;
  for (std::size_t i = length_bytes; stored_length != nullptr && i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(stored_length[i]);
  const char* const literal = length <= longest_header ? take_bytes(length) : nullptr;
  if (stored_length == nullptr || literal == nullptr)
    throw DataError(fmt::format("{}: its .npy header is cut off", name()));
  header_ = NpyHeader::parse({literal, length}, name());

  if (dimensions() != 1 && dimensions() != 2)
    throw DataError(fmt::format("{}: has {} dimensions, must have 1 or 2", name(), dimensions()));
  if (columns() > most_columns)
    throw DataError(fmt::format("{}: has more than {} columns", name(), most_columns));
  if (columns() == 0 || rows() == 0)
    throw DataError(fmt::format("{}: has no {}", name(), rows() == 0 ? "rows" : "columns"));
  if (rows() > std::numeric_limits<std::size_t>::max() / (columns() * header_.item_size))
    throw DataError(fmt::format("{}: its .npy header cannot be true: it promises too many rows", name()));
}

const char* NpyFile::take(std::size_t count) {
  const char* const taken = take_bytes(count * header_.item_size);
  if (taken == nullptr)
    throw DataError(fmt::format("{}: ends before the {} rows that its header promises", name(), rows()));
  return taken;
}

void NpyFile::expect_end() {
  if (take_bytes(1) != nullptr)
    throw DataError(fmt::format("{}: goes on after the {} rows that its header promises", name(), rows()));
}

const char* NpyFile::take_bytes(std::size_t size) {
  while (filled_ - begin_ < size) {
    if (begin_ > 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
      filled_ -= begin_;
      begin_ = 0;
    }
    if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t count = bytes_.read({buffer_.data() + filled_, buffer_.size() - filled_});
    if (count == 0) return nullptr;
    filled_ += count;
  }
  begin_ += size;
  return buffer_.data() + begin_ - size;
}

}  // namespace jme::data
