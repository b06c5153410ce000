#include "data/record_source.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::data {
namespace {

constexpr std::size_t initial_record_buffer = std::size_t{1} << 16;
constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Where the byte first occurs in [from, end) of the buffer.
std::size_t find_byte(const std::vector<char>& buffer, char byte, std::size_t from, std::size_t end) {
  const void* const hit = std::memchr(buffer.data() + from, byte, end - from);
  return hit == nullptr ? none : static_cast<std::size_t>(static_cast<const char*>(hit) - buffer.data());
}

}  // namespace

RecordSource::RecordSource(const std::string& path, const InputOptions& options)
    : bytes_(options.feed != nullptr ? ByteSource(std::string_view(), path)
             : options.text          ? ByteSource(*options.text, path)
                                     : ByteSource(path, options.compression, options.before_read,
                                                  {.follow = options.follow, .has_header = options.header})),
      longest_(options.longest_record),
      buffer_(std::min(initial_record_buffer, longest_ + 1) + padding),
      nul_(none),
      feed_(options.feed) {
  if (options.records == Records::quoted) quotes_.emplace(options.delimiter);
}

std::string_view RecordSource::text() const {
  const bool carriage_return = end_ > begin_ && buffer_[end_ - 1] == '\r';
  return {buffer_.data() + begin_, end_ - begin_ - (carriage_return ? 1 : 0)};
}

// Only the beginning of a record that is too long is copied.
bool RecordSource::take_fed() {
  begin_ = end_ = filled_ = 0;
  too_long_ = has_nul_ = no_value_ = false;
  if (!feed_->next()) return false;
  ++line_;
  const std::optional<std::string_view> given = feed_->text();
  no_value_ = !given;
  std::string_view record = given.value_or("");
  if (record.ends_with('\n')) record.remove_suffix(1);
  too_long_ = record.size() > longest_;
  record = record.substr(0, std::min(record.size(), longest_));
  if (buffer_.size() < record.size() + padding) buffer_.resize(record.size() + padding);
  std::copy(record.begin(), record.end(), buffer_.begin());
  filled_ = record.size();
  if (!too_long_) end_ = filled_;
  has_nul_ = find_byte(buffer_, '\0', 0, filled_) != none;
  return true;
}

bool RecordSource::next() {
  if (feed_ != nullptr) return take_fed();
  if (too_long_) skip_rest();
  begin_ = next_;
  line_ = lines_taken_ + 1;
  Taken taken = take_line(begin_);
  if (taken == Taken::nothing) {
    end_ = begin_;
    return false;
  }
  if (line_ == 1) leave_out_byte_order_mark();
  if (quotes_) quotes_->begin_record();
  if (quotes_ && taken == Taken::line) taken = join_lines();
  too_long_ = taken == Taken::too_much;
  if (too_long_) end_ = begin_;
  has_nul_ = nul_ < end_;
  if (has_nul_) find_nul(end_);
  return true;
}

// Finds the end of the line that starts at `from`; begin_ <= from is kept in the buffer. As the buffer holds
// no more than the longest record and its line feed, every line that ends in it is short enough.
RecordSource::Taken RecordSource::take_line(std::size_t from) {
  const std::size_t ahead = from - begin_;  // relative to begin_, because refill() moves the text
  std::size_t scanned = ahead;
  for (;;) {
    if (const std::size_t feed = find_byte(buffer_, '\n', begin_ + scanned, filled_); feed != none) {
      end_ = feed;
      next_ = feed + 1;
      break;
    }
    scanned = filled_ - begin_;
    if (scanned > longest_) {
      unfinished_ = begin_ + ahead;
      return Taken::too_much;
    }
    if (!refill()) {
      if (scanned == ahead) return Taken::nothing;
      end_ = next_ = filled_;
      break;
    }
  }
  ++lines_taken_;
  return Taken::line;
}

RecordSource::Taken RecordSource::join_lines() {
  if (find_byte(buffer_, '"', begin_, end_) == none) return Taken::line;
  std::size_t passed = 0;  // of the record
  for (;;) {
    quotes_->pass({buffer_.data() + begin_ + passed, end_ - begin_ - passed});
    if (!quotes_->is_open()) return Taken::line;
    passed = next_ - begin_;
    const Taken taken = take_line(next_);
    if (taken == Taken::nothing) refuse_open_quote();
    if (taken == Taken::too_much) return taken;
  }
}

void RecordSource::leave_out_byte_order_mark() {
  if (!std::string_view(buffer_.data(), filled_).starts_with(byte_order_mark)) return;
  begin_ = byte_order_mark.size();
  unfinished_ = begin_;
}

// The rest of a record that is too long goes through the buffer, which keeps none of it.
void RecordSource::skip_rest() {
  for (std::size_t at = unfinished_;;) {
    const std::size_t feed = find_byte(buffer_, '\n', at, filled_);
    if (quotes_) quotes_->pass({buffer_.data() + at, std::min(feed, filled_) - at});
    const bool open = quotes_ && quotes_->is_open();
    if (feed != none) {
      ++lines_taken_;
      at = next_ = feed + 1;
      if (open) continue;
      break;
    }
    filled_ = bytes_.read({buffer_.data(), buffer_.size() - padding});
    at = next_ = 0;
    if (filled_ > 0) continue;
    if (open) refuse_open_quote();
    break;
  }
  too_long_ = false;
  find_nul(next_);
}

bool RecordSource::refill() {
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= begin_;
    next_ -= begin_;
    if (nul_ != none) nul_ -= begin_;
    begin_ = 0;
  }
  if (filled_ + padding == buffer_.size()) buffer_.resize(std::min(2 * filled_, longest_ + 1) + padding);

  const std::size_t before = filled_;
  filled_ += bytes_.read({buffer_.data() + filled_, buffer_.size() - padding - filled_});
  if (nul_ == none) find_nul(before);
  return filled_ > before;
}

void RecordSource::find_nul(std::size_t from) {
  nul_ = find_byte(buffer_, '\0', from, filled_);
}

void RecordSource::refuse_open_quote() const {
  throw DataError(fmt::format("{}:{}: a quote is opened and never closed", name(), line_));
}

}  // namespace jme::data
