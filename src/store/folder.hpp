#pragma once

#include <filesystem>

namespace jme::store {

/// Makes a state folder for its owner alone where there is none. Throws like check_folder.
void make_folder(const std::filesystem::path& folder);

/// Throws StateError unless `folder` is a folder of this user, or of root, in which nobody else may write:
/// whoever may put files there can put in a key that they know, or bring back an old state.
void check_folder(const std::filesystem::path& folder);

/// True where there is anything of this name, even a link without a target.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// Throws StateError where there is something of this name that is not a regular file of this user, or that
/// others may write. Opens nothing, because closing our own descriptor would release SQLite's locks.
void check_file(const std::filesystem::path& path);

}  // namespace jme::store
