#pragma once

#include <filesystem>
#include <string_view>

#include <jme/inquiry/released_run.hpp>

namespace jme {

/// What a durable stream released so far. Only reads, also while a process has the stream open. Throws
/// StateError.
[[nodiscard]] ReleasedRun released_by_state(const std::filesystem::path& directory, std::string_view source,
                                            std::string_view stream, const MatrixReader& read_matrix = {});

}  // namespace jme
