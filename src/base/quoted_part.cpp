#include <algorithm>

#include <jme/base/quoted_part.hpp>

namespace jme {

std::string quoted_part(std::string_view part) {
  if (part.find_first_of(",=") == std::string_view::npos && !part.starts_with('"')) return std::string(part);
  std::string text = "\"";
  for (const char c : part) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::optional<std::string> take_part(std::string_view& text, std::string_view ends) {
  if (!text.starts_with('"')) {
    const std::size_t end = std::min(text.find_first_of(ends), text.size());
    std::string part(text.substr(0, end));
    text.remove_prefix(end);
    return part;
  }
  std::string part;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      part += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      part += text[i++];
    } else {
      text.remove_prefix(i + 1);
      if (!text.empty() && ends.find(text.front()) == std::string_view::npos) return std::nullopt;
      return part;
    }
  }
  return std::nullopt;
}

}  // namespace jme
