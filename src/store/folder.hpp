#pragma once

#include <filesystem>

namespace jme::store {

/// Makes a state folder for its owner alone where there is none. Throws like check_folder.
void make_folder(const std::filesystem::path& folder);

/// Throws StateError unless `folder` is a folder of this user, or of root, in which nobody else may write:
/// who may put files there can put a key that they know, or bring back an old state.
void check_folder(const std::filesystem::path& folder);

/// True where there is anything of this name, a link without a target included.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// Throws StateError where there is something of this name that is no regular file of this user, or that
/// others may write. Opens nothing: a descriptor of our own would give up SQLite's locks when it is closed.
void check_file(const std::filesystem::path& path);

}  // namespace jme::store
