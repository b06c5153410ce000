#pragma once

#include <cstddef>
#include <filesystem>

#include "serve.hpp"

namespace jme::serve {

/// Bytes of memory that this process may use: the machine's, or less where a control group of it (of systemd,
/// of a container) allows less. `root`: tests have a file system of their own.
[[nodiscard]] std::size_t memory_of_machine(const std::filesystem::path& root = "/");

/// How many files may be open at the same time, and for what.
struct OpenFiles {
  std::size_t connections;  ///< one file each
  std::size_t of_streams;   ///< for all streams together
};

/// Raises this process's limit on open files as far as it may. Where that is too little for all connections
/// and streams that the options allow, connections get half of it and streams what is left.
[[nodiscard]] OpenFiles open_files(const ServeOptions& options, std::size_t files_of_stream);

}  // namespace jme::serve
