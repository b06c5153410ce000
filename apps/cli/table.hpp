#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <jme/output/json_line.hpp>

namespace jme::cli {

enum class Align { left, right };

/// Rows of cells as aligned text, two spaces between columns; columns past `align` are left-aligned.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows,
                                  const std::vector<Align>& align);

/// A JSON object for people: one line per key.
[[nodiscard]] std::string key_lines(const nlohmann::ordered_json& object);

}  // namespace jme::cli
