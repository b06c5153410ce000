// How the paragraphs of a statement are put together.
#include <algorithm>

#include <jme/output/privacy_statement.hpp>

namespace jme {

std::string one_line(const std::vector<std::string>& paragraphs) {
  std::string line;
  for (const std::string& paragraph : paragraphs) line += (line.empty() ? "" : " ") + paragraph;
  return line;
}

std::string wrapped(const std::vector<std::string>& paragraphs, std::size_t width) {
  std::string text;
  for (const std::string& paragraph : paragraphs) {
    if (!text.empty()) text += '\n';
    std::size_t column = 0, begin = 0;
    while (begin < paragraph.size()) {
      const std::size_t end = std::min(paragraph.find(' ', begin), paragraph.size());
      const std::size_t length = end - begin;
      if (column > 0 && column + 1 + length > width) {
        text += '\n';
        column = 0;
      }
      if (column > 0) {
        text += ' ';
        ++column;
      }
      text.append(paragraph, begin, length);
      column += length;
      begin = end + 1;
    }
    text += '\n';
  }
  return text;
}

}  // namespace jme
