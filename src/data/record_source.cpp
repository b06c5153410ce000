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
std::size_t find_byte(const char* data, char byte, std::size_t from, std::size_t end) {
  const void* const hit = from == end ? nullptr : std::memchr(data + from, byte, end - from);
  return hit == nullptr ? none : static_cast<std::size_t>(static_cast<const char*>(hit) - data);
}

}  // namespace

std::string unclosed_quote(const std::string& name, std::size_t line) {
  return fmt::format("{}:{}: a quote is opened and never closed", name, line);
}

RecordSource::RecordSource(const std::string& path, const InputOptions& options)
    : longest_(options.longest_record),
      buffer_(std::min(initial_record_buffer, longest_ + 1) + padding),
      data_(buffer_.data()),
      nul_(none) {
  if (options.text) {
    bytes_ = std::make_unique<ByteSource>(*options.text, path);
  } else {
    const FileGrowth growth{.follow = options.follow, .has_header = options.header};
    bytes_ = std::make_unique<ByteSource>(path, options.compression, options.before_read, growth);
  }
  if (options.records == Records::quoted) quotes_.emplace(options.delimiter);
}

RecordSource::RecordSource(std::size_t longest, const std::optional<QuoteScanner>& quotes)
    : longest_(longest), quotes_(quotes), data_(nullptr), nul_(none), is_piece_(true) {}

void RecordSource::take_piece(std::string_view piece, bool is_cut_off) {
  data_ = piece.data();
  filled_ = piece.size();
  begin_ = end_ = next_ = unfinished_ = 0;
  too_long_ = has_nul_ = has_unclosed_quote_ = false;
  is_cut_off_ = is_cut_off;
  line_ = lines_taken_ = 0;
  ++fills_;
  find_nul(0);
}

void RecordSource::pass(std::size_t lines, const char* begin, const char* feed) {
  begin_ = static_cast<std::size_t>(begin - data_);
  end_ = static_cast<std::size_t>(feed - data_);
  next_ = end_ + 1;
  lines_taken_ += lines;
  line_ = lines_taken_;
  has_nul_ = no_value_ = false;
}

bool RecordSource::is_at_hand() const {
  if (too_long_) return false;
  std::optional<QuoteScanner> quotes = quotes_;
  if (quotes) quotes->begin_record();
  for (std::size_t at = next_;;) {
    const std::size_t feed = find_byte(data_, '\n', at, filled_);
    if (feed == none) return false;
    if (quotes) quotes->pass({data_ + at, feed - at});
    if (!quotes || !quotes->is_open()) return true;
    at = feed + 1;
  }
}

void RecordSource::finish_record() {
  if (too_long_) skip_rest();
}

std::string_view RecordSource::text() const {
  const bool carriage_return = end_ > begin_ && data_[end_ - 1] == '\r';
  return {data_ + begin_, end_ - begin_ - (carriage_return ? 1 : 0)};
}

// Only the beginning of a record that is too long is copied.
void RecordSource::take_record(std::optional<std::string_view> given) {
  begin_ = end_ = 0;
  no_value_ = !given;
  std::string_view record = given.value_or("");
  if (record.ends_with('\n')) record.remove_suffix(1);
  too_long_ = record.size() > longest_;
  record = record.substr(0, std::min(record.size(), longest_));
  if (buffer_.size() < record.size() + padding) buffer_.resize(record.size() + padding);
  data_ = buffer_.data();
  std::copy(record.begin(), record.end(), buffer_.begin());
  filled_ = record.size();
  if (!too_long_) end_ = filled_;
  has_nul_ = find_byte(data_, '\0', 0, filled_) != none;
}

bool RecordSource::next() {
  finish_record();
  if (has_unclosed_quote_) return false;
  begin_ = next_;
  line_ = lines_taken_ + 1;
  Taken taken = take_line(begin_);
  if (taken == Taken::nothing) {
    end_ = begin_;
    return false;
  }
  if (begins_input()) leave_out_byte_order_mark();
  if (quotes_) quotes_->begin_record();
  if (quotes_ && taken == Taken::line) taken = join_lines();
  if (has_unclosed_quote_) return false;
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
    const std::size_t feed = find_byte(data_, '\n', begin_ + scanned, filled_);
    if (feed != none && feed - begin_ > longest_) {  // in a piece
      unfinished_ = begin_ + ahead;
      return Taken::too_much;
    }
    if (feed != none) {
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
  if (find_byte(data_, '"', begin_, end_) == none) return Taken::line;
  std::size_t passed = 0;  // of the record
  for (;;) {
    quotes_->pass({data_ + begin_ + passed, end_ - begin_ - passed});
    if (!quotes_->is_open()) return Taken::line;
    passed = next_ - begin_;
    const Taken taken = take_line(next_);
    if (taken == Taken::nothing) refuse_open_quote();
    if (taken != Taken::line) return taken;
  }
}

void RecordSource::leave_out_byte_order_mark() {
  if (!std::string_view(data_, filled_).starts_with(byte_order_mark)) return;
  begin_ = byte_order_mark.size();
  unfinished_ = begin_;
}

// The rest of a record that is too long goes through the buffer, which keeps none of it.
void RecordSource::skip_rest() {
  for (std::size_t at = unfinished_;;) {
    const std::size_t feed = find_byte(data_, '\n', at, filled_);
    if (quotes_) quotes_->pass({data_ + at, std::min(feed, filled_) - at});
    const bool open = quotes_ && quotes_->is_open();
    if (feed != none) {
      ++lines_taken_;
      at = next_ = feed + 1;
      if (open) continue;
      break;
    }
    if (is_piece_) {
      next_ = filled_;
      if (open && !is_cut_off_) refuse_open_quote();
      break;
    }
    filled_ = bytes_->read({buffer_.data(), buffer_.size() - padding});
    ++fills_;
    at = next_ = 0;
    if (filled_ > 0) continue;
    if (open) refuse_open_quote();
    break;
  }
  too_long_ = false;
  find_nul(next_);
}

bool RecordSource::refill() {
  if (is_piece_) return false;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= begin_;
    next_ -= begin_;
    if (nul_ != none) nul_ -= begin_;
    begin_ = 0;
  }
  if (filled_ + padding == buffer_.size()) buffer_.resize(std::min(2 * filled_, longest_ + 1) + padding);
  data_ = buffer_.data();
  ++fills_;

  const std::size_t before = filled_;
  filled_ += bytes_->read({buffer_.data() + filled_, buffer_.size() - padding - filled_});
  if (nul_ == none) find_nul(before);
  return filled_ > before;
}

void RecordSource::find_nul(std::size_t from) {
  nul_ = find_byte(data_, '\0', from, filled_);
}

void RecordSource::refuse_open_quote() {
  has_unclosed_quote_ = true;
  if (is_piece_) return;
  throw DataError(unclosed_quote(name(), line_));
}

}  // namespace jme::data
