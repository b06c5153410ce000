#pragma once

#include <string_view>

namespace jme {

/// Which streams count as neighbours: one row is replaced by another (as in the paper), or one row is absent
/// (zeroed).
enum class Adjacency { replace_one, add_remove };

[[nodiscard]] Adjacency parse_adjacency(std::string_view text);
[[nodiscard]] std::string_view name(Adjacency adjacency);

}  // namespace jme
