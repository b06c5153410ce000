#include "text_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <jme/base/errors.hpp>

namespace jme::cli {

std::string text_of_file(const std::string& path, std::string_view field) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path)) {
    throw InvalidParameter(field, path, "a file that can be read");
  }
  return text.str();
}

}  // namespace jme::cli
