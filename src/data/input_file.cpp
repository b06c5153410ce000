#include "data/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

namespace jme::data {
namespace {

DataError system_failure(const std::string& name, std::string_view what, int error) {
  return DataError(fmt::format("{}: {}: {}", name, what, std::generic_category().message(error)));
}

}  // namespace

InputFile::InputFile(const std::string& path, BeforeRead before_read, FileGrowth growth)
    : path_(path),
      name_(path == "-" ? "stdin" : path),
      before_read_(std::move(before_read)),
      descriptor_(STDIN_FILENO),
      owned_(path != "-"),
      growth_(growth) {
  if (owned_) {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw system_failure(name_, "cannot be opened", errno);
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    if (owned_) ::close(descriptor_);
    throw system_failure(name_, "cannot be opened", error);
  }
  if (S_ISDIR(status.st_mode)) {
    if (owned_) ::close(descriptor_);
    throw DataError(fmt::format("{}: is a directory, not a file", name_));
  }
  is_regular_ = S_ISREG(status.st_mode);
  if (!owned_) growth_.follow = InputOptions::Follow::no;  // standard input ends when it ends
  if (is_followed()) {
    if (is_regular_ && growth_.follow == InputOptions::Follow::from_end) skip_to_end();
  } else if (is_regular_) {
    before_read_ = nullptr;
    const off_t start = ::lseek(descriptor_, 0, SEEK_CUR);
    size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - std::max<off_t>(start, 0), 0));
  }
}

InputFile::InputFile(std::string_view text, std::string name)
    : name_(std::move(name)), descriptor_(-1), owned_(false), text_(text), size_(text.size()) {}

InputFile::~InputFile() {
  if (owned_) ::close(descriptor_);
}

// Keeps the header, which is the first line that is not blank, and goes to the end of what is there now; the
// rest of a line that is still being written there is left out too.
void InputFile::skip_to_end() {
  char byte = 0;
  bool blank = true;
  std::string line;
  while (growth_.has_header && ::read(descriptor_, &byte, 1) == 1) {
    line.push_back(byte);
    blank = blank && (byte == ' ' || byte == '\r' || byte == '\n');
    if (byte == '\n' && !blank) break;
  }
  if (growth_.has_header && (blank || byte != '\n')) {
    ::lseek(descriptor_, 0, SEEK_SET);  // not even the header is there yet
    return;
  }
  ahead_ = line;
  if (::lseek(descriptor_, 0, SEEK_END) <= 0) return;
  ::lseek(descriptor_, -1, SEEK_CUR);
  leaves_out_line_ = ::read(descriptor_, &byte, 1) == 1 && byte != '\n';
  read_ = ReadPrefix::of(descriptor_, static_cast<std::uint64_t>(::lseek(descriptor_, 0, SEEK_CUR)));
}

// Which rows of a file that was truncated in place are new depends on how long its records are: one person's
// long record would hide the rows of others, or bring them back. So no row is read from it.
void InputFile::check_prefix() const {
  if (!is_regular_ || read_.is_still_in(descriptor_)) return;
  throw DataError(
      fmt::format("{}: was truncated or rewritten in place, so that its new rows cannot be told from others: "
                  "rotate it by renaming (logrotate: create, and not copytruncate)",
                  name_));
}

void InputFile::wait_for_growth() {
  if (before_read_) before_read_(-1);
  if (!is_regular_) return;
  check_prefix();
  struct stat here {
  }, now{};
  if (::fstat(descriptor_, &here) != 0 || ::stat(path_.c_str(), &now) != 0)
    return;  // replaced at this moment
  if (here.st_ino != now.st_ino || here.st_dev != now.st_dev) {
    // All of the old file was read before it was found to be replaced, except for what came just then.
    if (here.st_size > ::lseek(descriptor_, 0, SEEK_CUR)) return;
    const int fresh = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fresh < 0) return;
    ::close(descriptor_);
    descriptor_ = fresh;
    read_ = {};
    // What the last line had so far is a line; the new file's header is no row.
    if (last_ != '\n') ahead_ = "\n";
    leaves_out_line_ = growth_.has_header;
  }
}

/// Takes off what is left out of a line; returns what is left.
std::size_t InputFile::without_left_out(std::span<char> bytes) {
  if (!leaves_out_line_) return bytes.size();
  const auto feed = std::find(bytes.begin(), bytes.end(), '\n');
  if (feed == bytes.end()) return 0;
  leaves_out_line_ = false;
  std::copy(feed + 1, bytes.end(), bytes.begin());
  return static_cast<std::size_t>(bytes.end() - feed) - 1;
}

std::size_t InputFile::read(std::span<char> into) {
  if (text_) {
    const std::size_t count = std::min(into.size(), text_->size() - taken_);
    std::copy_n(text_->data() + taken_, count, into.begin());
    taken_ += count;
    return count;
  }
  if (at_end_) return 0;
  for (;;) {
    if (!ahead_.empty()) {
      const std::size_t count = std::min(into.size(), ahead_.size());
      std::copy_n(ahead_.begin(), count, into.begin());
      ahead_.erase(0, count);
      last_ = into[count - 1];
      return count;
    }
    if (before_read_) before_read_(descriptor_);
    const ssize_t count = ::read(descriptor_, into.data(), into.size());
    if (count > 0) {
      taken_ += static_cast<std::uint64_t>(count);
      if (is_followed()) {
        check_prefix();  // after the read: the file may have been truncated just before it
        read_.add(into.first(static_cast<std::size_t>(count)));
      }
      const std::size_t left = without_left_out(into.first(static_cast<std::size_t>(count)));
      if (left == 0) continue;
      last_ = into[left - 1];
      return left;
    }
    if (count == 0 && is_followed()) {
      wait_for_growth();
      continue;
    }
    if (count == 0) {
      at_end_ = true;
      return 0;
    }
    if (errno != EINTR) throw system_failure(name_, "cannot be read", errno);
  }
}

std::optional<double> InputFile::progress() const {
  if (size_ == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(taken_) / static_cast<double>(size_));
}

}  // namespace jme::data
