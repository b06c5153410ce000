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

InputFile::InputFile(const std::string& path, BeforeRead before_read)
    : name_(path == "-" ? "stdin" : path),
      before_read_(std::move(before_read)),
      descriptor_(STDIN_FILENO),
      owned_(path != "-") {
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
  if (S_ISREG(status.st_mode)) {
    before_read_ = nullptr;
    const off_t start = ::lseek(descriptor_, 0, SEEK_CUR);
    size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - std::max<off_t>(start, 0), 0));
  }
}

InputFile::~InputFile() {
  if (owned_) ::close(descriptor_);
}

std::size_t InputFile::read(std::span<char> into) {
  if (at_end_) return 0;
  for (;;) {
    if (before_read_) before_read_(descriptor_);
    const ssize_t count = ::read(descriptor_, into.data(), into.size());
    if (count > 0) {
      taken_ += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
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
