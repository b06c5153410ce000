#pragma once

#include <string_view>

namespace jme {

/// Who counts as a neighbour: one row replaced by another (the paper's), or one row absent (zeroed).
enum class Adjacency { replace_one, add_remove };

[[nodiscard]] Adjacency parse_adjacency(std::string_view text);
[[nodiscard]] std::string_view name(Adjacency adjacency);

}  // namespace jme
