#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace jme {

/// One JSON object on one line, with its line feed. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& object);

}  // namespace jme
