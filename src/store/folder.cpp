#include "store/folder.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

#include "store/file.hpp"

namespace jme::store {

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) throw InvalidParameter("state", "the name of the folder is empty");
  if (!std::filesystem::is_directory(folder)) {
    if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path());
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
      throw Error(fmt::format("state {}: cannot be made: {}", folder.string(),
                              std::generic_category().message(errno)));
    }
  }
  check_folder(folder);
}

void check_folder(const std::filesystem::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw StateError(fmt::format("state {}: is not a folder", folder.string()));
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    throw StateError(fmt::format(
        "state {}: the folder belongs to another user ({}), who can put other files there: run as that user, "
        "or give it to the one who runs (chown {})",
        folder.string(), status.st_uid, ::geteuid()));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw StateError(fmt::format(
        "state {}: others may write in the folder (mode {:04o}): a state is for its owner alone (chmod go-w)",
        folder.string(), status.st_mode & 07777U));
  }
}

bool is_there(const std::filesystem::path& path) {
  return std::filesystem::symlink_status(path).type() != std::filesystem::file_type::not_found;
}

void check_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw Error(
        fmt::format("state {}: cannot be read: {}", path.string(), std::generic_category().message(errno)));
  }
  check_status(path, status);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw StateError(fmt::format("state {}: others may write it: it must be for its owner alone (chmod 600)",
                                 path.string()));
  }
}

}  // namespace jme::store
