#include "table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text_width.hpp"

namespace jme::cli {

namespace {

std::string readable(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, part] : value.items()) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, readable(part));
    }
    return text.empty() ? "none" : text;
  }
  return value.dump();
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& align) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool right = i < align.size() && align[i] == Align::right;
      const std::string space(widths[i] - text_width(row[i]), ' ');
      line += (right ? space + row[i] : row[i] + space) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string key_lines(const nlohmann::ordered_json& object) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : object.items()) rows.push_back({key, readable(value)});
  return aligned(rows, {});
}

}  // namespace jme::cli
