#include "words.hpp"

#include <sstream>
#include <stdexcept>

#include <jme/pipeline/run_fields.hpp>

namespace jme::cli::generate {

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    if (used > 0 && used + 1 + word.size() > width) {
      result += '\n';
      used = 0;
    }
    if (used > 0) result += ' ';
    result += word;
    used += (used > 0 ? 1 : 0) + word.size();
  }
  return result;
}

std::string long_help(const Field& field, const std::function<std::string(const Field& other)>& spell) {
  std::string text = field.help + '.';
  for (std::size_t at = 0; at < field.more.size();) {
    const std::size_t begin = field.more.find('`', at), end = field.more.find('`', begin + 1);
    if (at == 0) text += ' ';
    text += field.more.substr(at, begin - at);
    if (begin == std::string::npos) break;
    const std::string name = field.more.substr(begin + 1, end - begin - 1);
    const RunField* other = find_run_field(name);
    if (other == nullptr) throw std::runtime_error(field.name + " speaks of a setting " + name);
    text += spell(*other);
    at = end + 1;
  }
  return text;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string with_region(const std::string& text, const std::string& name, const std::string& lines) {
  const std::size_t mark = text.find("generated: " + name + '\n');
  if (mark == std::string::npos) throw std::runtime_error("there is no region " + name);
  const std::size_t line = text.rfind('\n', mark) + 1, begin = text.find('\n', mark) + 1;
  const std::size_t end = text.find('\n' + text.substr(line, mark - line) + "end\n", begin - 1);
  if (end == std::string::npos) throw std::runtime_error("the region " + name + " has no end");
  return text.substr(0, begin) + lines + text.substr(end + 1);
}

}  // namespace jme::cli::generate
