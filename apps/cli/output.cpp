#include "output.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

namespace jme::cli {

namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Output::Output() : name_("standard output"), descriptor_(STDOUT_FILENO), owned_(false) {}

Output::Output(const std::string& path)
    : name_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)), owned_(true) {
  if (descriptor_ < 0) throw Error(fmt::format("output {}: {}", path, reason(errno)));
}

Output::~Output() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

void Output::fail(int error) const {
  if (error == EPIPE) throw ReaderGone();
  throw Error(fmt::format("cannot write to {}: {}", name_, reason(error)));
}

void Output::write(std::string_view text) {
  if (untouched_ && owned_) {
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && ::ftruncate(descriptor_, 0) != 0)
      fail(errno);
  }
  untouched_ = false;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::close() {
  if (!owned_ || descriptor_ < 0) return;
  const int result = ::close(descriptor_);
  const int error = errno;
  descriptor_ = -1;
  if (result != 0) fail(error);
}

bool Output::is_terminal() const {
  return ::isatty(descriptor_) == 1;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace jme::cli
