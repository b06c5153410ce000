#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace jme::architecture {

namespace fs = std::filesystem;

inline const fs::path root = JME_SOURCE_DIR;

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace jme::architecture
