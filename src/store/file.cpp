#include "store/file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

namespace jme::store {

File::File(const std::filesystem::path& path, int flags, unsigned mode)
    : File(path, Opened{::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode)}) {
  check_status(path_, status());
}

File::File(const std::filesystem::path& path, Opened opened) : path_(path), descriptor_(opened.descriptor) {
  if (descriptor_ >= 0) return;
  switch (errno) {
    case ELOOP:  // what O_NOFOLLOW finds
      throw StateError(fmt::format(
          "state {}: is a symbolic link: the files of a state must lie in its folder", path_.string()));
    case ENXIO:  // a socket, or a pipe that nobody reads
    case EISDIR:
      throw StateError(fmt::format("state {}: is not a regular file", path_.string()));
    case EACCES:
    case EPERM:
      throw StateError(
          fmt::format("state {}: may not be opened by this user: run as the user that the state belongs to",
                      path_.string()));
    default:
      fail("cannot be opened");
  }
}

File File::folder(const std::filesystem::path& path) {
  return {path, Opened{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)}};
}

// A lock belongs to what fork(2) shares: closing leaves it with a child that is alive, and releasing it in
// the child would take it from the parent.
File::~File() {
  if (locked_by_ == ::getpid()) ::flock(descriptor_, LOCK_UN);
  ::close(descriptor_);
}

void File::fail(std::string_view what) const {
  const int error = errno;
  throw Error(fmt::format("state {}: {}: {}", path_.string(), what, std::generic_category().message(error)));
}

void File::write(std::size_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot be written");
    offset += static_cast<std::size_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

std::size_t File::read(std::size_t offset, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot be read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::sync() const {
  if (::fdatasync(descriptor_) != 0) fail("cannot be brought to disk");
}

bool File::try_lock() const {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    locked_by_ = ::getpid();
    return true;
  }
  if (errno != EWOULDBLOCK) fail("cannot be locked");
  return false;
}

void File::lock() const {
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) fail("cannot be locked");
  }
  locked_by_ = ::getpid();
}

struct stat File::status() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot be read");
  return status;
}

unsigned File::permissions() const {
  return status().st_mode & 07777U;
}

std::size_t File::size() const {
  return static_cast<std::size_t>(status().st_size);
}

void check_status(const std::filesystem::path& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    throw StateError(fmt::format("state {}: is not a regular file", path.string()));
  }
  if (status.st_uid != ::geteuid()) {
    throw StateError(fmt::format(
        "state {}: belongs to another user ({}), who may know what is in it: run as that user, or begin a "
        "state of your own",
        path.string(), status.st_uid));
  }
}

void sync_folder(const std::filesystem::path& folder) {
  File::folder(folder).sync();
}

}  // namespace jme::store
