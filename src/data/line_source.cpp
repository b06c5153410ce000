#include "data/line_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::data {
namespace {

constexpr std::size_t initial_line_buffer = std::size_t{1} << 16;
constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(' ') == std::string_view::npos;
}

}  // namespace

LineSource::LineSource(const std::string& path, BeforeRead before_read)
    : bytes_(path, std::move(before_read)), buffer_(initial_line_buffer + padding), nul_(none) {}

std::string_view LineSource::text() const {
  const bool carriage_return = end_ > begin_ && buffer_[end_ - 1] == '\r';
  return {buffer_.data() + begin_, end_ - begin_ - (carriage_return ? 1 : 0)};
}

bool LineSource::next() {
  blank_lines_before_ = 0;
  for (;;) {
    begin_ = next_;
    if (!take_line(begin_)) {
      end_ = begin_;
      return false;
    }
    line_ = lines_taken_;
    if (line_ == 1 && text().starts_with(byte_order_mark)) begin_ += byte_order_mark.size();
    if (!is_blank(text())) return true;
    ++blank_lines_before_;
  }
}

bool LineSource::extend() {
  return take_line(next_);
}

// Finds the end of the line that starts at `from`; begin_ <= from is kept in the buffer.
bool LineSource::take_line(std::size_t from) {
  const std::size_t ahead = from - begin_;  // relative to begin_, because refill() moves the text
  std::size_t scanned = ahead;
  for (;;) {
    const std::size_t available = filled_ - begin_;
    const char* const start = buffer_.data() + begin_;
    if (const void* hit = std::memchr(start + scanned, '\n', available - scanned)) {
      end_ = begin_ + static_cast<std::size_t>(static_cast<const char*>(hit) - start);
      next_ = end_ + 1;
      break;
    }
    scanned = available;
    refuse_nul_before(filled_);
    if (!refill()) {
      if (available == ahead) return false;
      end_ = next_ = filled_;
      break;
    }
  }
  refuse_nul_before(end_);
  ++lines_taken_;
  return true;
}

bool LineSource::refill() {
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= begin_;
    next_ -= begin_;
    end_ -= std::min(end_, begin_);
    begin_ = 0;
  }
  if (filled_ > longest_line)
    throw DataError(
        fmt::format("{}:{}: the line is longer than {} MiB", name(), lines_taken_ + 1, longest_line >> 20));
  if (filled_ + padding == buffer_.size()) buffer_.resize(2 * filled_ + padding);

  const std::size_t room = buffer_.size() - padding - filled_;
  const std::size_t count = bytes_.read({buffer_.data() + filled_, room});
  if (const void* hit = std::memchr(buffer_.data() + filled_, 0, count))
    nul_ = static_cast<std::size_t>(static_cast<const char*>(hit) - buffer_.data());
  filled_ += count;
  return count > 0;
}

// Thrown at the line that has it, after the rows before it were given, and again at every later call.
void LineSource::refuse_nul_before(std::size_t end) const {
  if (nul_ < end)
    throw DataError(fmt::format("{}:{}: contains a NUL byte: binary data (or UTF-16), not text", name(),
                                lines_taken_ + 1));
}

}  // namespace jme::data
