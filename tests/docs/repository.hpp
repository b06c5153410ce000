#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// The repository's files and the headings of its pages, as the tests of documents read them.
namespace jme::docs {

namespace fs = std::filesystem;

inline const fs::path root = JME_SOURCE_DIR;

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What git ignores or owns: everything else in the tree belongs to the project.
inline bool is_generated(const fs::path& folder) {
  const std::string name = folder.filename();
  return name.starts_with("build") || name == ".git" || name == ".cache" || name == "out" || name == "paper";
}

inline std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    if (it->is_directory() && it.depth() == 0 && is_generated(it->path())) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      found.push_back(it->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline std::vector<fs::path> files_with_extension(const std::string& extension) {
  std::vector<fs::path> found = files();
  std::erase_if(found, [&](const fs::path& path) { return path.extension() != extension; });
  return found;
}

inline std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// Lines outside fenced code blocks; a link inside a fence does not count as a link.
inline std::string without_fences(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::string kept;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(' ') != std::string::npos &&
        line.compare(line.find_first_not_of(' '), 3, "```") == 0) {
      fenced = !fenced;
    } else if (!fenced) {
      kept += line + '\n';
    }
  }
  return kept;
}

/// The anchor that code hosts give a heading: lower case, words joined by hyphens, other signs dropped.
inline std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80) {
      anchor += static_cast<char>(std::tolower(byte));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

inline std::set<std::string> anchors_in(const std::string& markdown) {
  std::set<std::string> anchors;
  for (const auto& heading : matches(without_fences(markdown), std::regex(R"((?:^|\n)#{1,6} +([^\n]*))"))) {
    anchors.insert(anchor_of(heading));
  }
  return anchors;
}

}  // namespace jme::docs
