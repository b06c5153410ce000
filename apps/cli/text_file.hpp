#pragma once

#include <string>
#include <string_view>

namespace jme::cli {

/// All of a file of settings or bounds, which is short. `field` is for messages.
[[nodiscard]] std::string text_of_file(const std::string& path, std::string_view field);

}  // namespace jme::cli
