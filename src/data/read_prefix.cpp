#include "data/read_prefix.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace jme::data {

namespace {

/// Up to `count` bytes from `from` on; fewer where the file ends there.
std::string bytes_at(int descriptor, std::uint64_t from, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t read = 0;
  while (read < count) {
    const ssize_t more =
        ::pread(descriptor, bytes.data() + read, count - read, static_cast<off_t>(from + read));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    read += static_cast<std::size_t>(more);
  }
  bytes.resize(read);
  return bytes;
}

}  // namespace

ReadPrefix ReadPrefix::of(int descriptor, std::uint64_t place) {
  ReadPrefix prefix;
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(place, most));
  prefix.head_ = bytes_at(descriptor, 0, count);
  prefix.tail_ = bytes_at(descriptor, place - count, count);
  prefix.size_ = place;
  return prefix;
}

void ReadPrefix::add(std::span<const char> bytes) {
  head_.append(bytes.data(), std::min(bytes.size(), most - head_.size()));
  const std::size_t last = std::min(bytes.size(), most);
  if (tail_.size() + last > most) tail_.erase(0, tail_.size() + last - most);
  tail_.append(bytes.data() + bytes.size() - last, last);
  size_ += bytes.size();
}

bool ReadPrefix::is_still_in(int descriptor) const {
  struct stat now {};
  if (::fstat(descriptor, &now) != 0 || now.st_size < 0) return false;
  return static_cast<std::uint64_t>(now.st_size) >= size_ && bytes_at(descriptor, 0, head_.size()) == head_ &&
         bytes_at(descriptor, size_ - tail_.size(), tail_.size()) == tail_;
}

}  // namespace jme::data
