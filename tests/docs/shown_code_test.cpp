// Code on a page that says where it comes from is the code that is there.
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "docs/repository.hpp"

namespace jme::docs {
namespace {

std::string without_indent(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    result += (begin == std::string::npos ? "" : line.substr(begin)) + '\n';
  }
  return result;
}

struct Shown {
  std::string file, code;
};

/// Blocks of code after a line "<!-- from FILE -->".
std::vector<Shown> shown_in(const std::string& markdown) {
  std::vector<Shown> found;
  std::istringstream lines(without_indent(markdown));
  const std::string before = "<!-- from ", after = " -->";
  bool is_open = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(before) && line.ends_with(after)) {
      found.push_back(
          {.file = line.substr(before.size(), line.size() - before.size() - after.size()), .code = {}});
    } else if (line.starts_with("```")) {
      is_open = !is_open && !found.empty() && found.back().code.empty();
    } else if (is_open) {
      found.back().code += line + '\n';
    }
  }
  return found;
}

TEST(Documents, ShowCodeThatExists) {
  EXPECT_EQ(shown_in("<!-- from a.cpp -->\n```cpp\n  x();\n```\n```\ny\n```\n").at(0).code, "x();\n");
  std::size_t shown = 0;
  for (const fs::path& page : files_with_extension(".md")) {
    for (const auto& [file, code] : shown_in(text_of(page))) {
      ++shown;
      EXPECT_FALSE(code.empty()) << page;
      EXPECT_NE(without_indent(text_of(root / file)).find(code), std::string::npos)
          << page << " shows code that " << file << " does not have:\n"
          << code;
    }
  }
  EXPECT_GE(shown, 4U);
}

}  // namespace
}  // namespace jme::docs
