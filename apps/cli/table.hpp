#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace jme::cli {

enum class Align { left, right };

/// Rows of cells as aligned text, two spaces between columns; columns past `align` are left-aligned.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows,
                                  const std::vector<Align>& align);

/// One JSON object on one line.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& object);
/// The same object for people: a line a key.
[[nodiscard]] std::string key_lines(const nlohmann::ordered_json& object);

}  // namespace jme::cli
