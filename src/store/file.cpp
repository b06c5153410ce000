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
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
  if (descriptor_ < 0) fail("cannot be opened");
}

File::~File() {
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
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) fail("cannot be locked");
  return false;
}

void File::lock() const {
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) fail("cannot be locked");
  }
}

unsigned File::permissions() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot be read");
  return status.st_mode & 07777U;
}

bool File::is_regular() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot be read");
  return S_ISREG(status.st_mode);
}

void sync_folder(const std::filesystem::path& folder) {
  File(folder, O_RDONLY | O_DIRECTORY).sync();
}

}  // namespace jme::store
