#pragma once

#include <string>

namespace jme::cli::generate {

// Files in the tree that are made from tables: each function takes the present text and returns what it
// should be. The first four keep a part of it, what is outside of their regions.
[[nodiscard]] std::string manual(std::string text);
[[nodiscard]] std::string bash_completion(std::string text);
[[nodiscard]] std::string zsh_completion(std::string text);
[[nodiscard]] std::string fish_completion(std::string text);
[[nodiscard]] std::string settings_page();
[[nodiscard]] std::string python_keywords();

}  // namespace jme::cli::generate
