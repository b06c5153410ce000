#include "experiments/markdown.hpp"

#include <string>
#include <vector>

namespace jme::experiments {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The cells of "| a | b |".
std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> found;
  line = trimmed(line);
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    found.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return found;
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of("|-: ") == std::string_view::npos;
}

enum class Kind { blank, heading, table, listing, item, text };

Kind kind_of(std::string_view line) {
  if (trimmed(line).empty()) return Kind::blank;
  if (line.starts_with('#')) return Kind::heading;
  if (line.starts_with('|')) return Kind::table;
  if (line.starts_with("    ")) return Kind::listing;
  if (line.starts_with("* ")) return Kind::item;
  return Kind::text;
}

/// A run of lines that belong together: from `at` on, lines of `kind`; text also runs on.
std::string joined_text(const std::vector<std::string_view>& lines, std::size_t& at) {
  std::string text(trimmed(lines[at++]));
  while (at < lines.size() && kind_of(lines[at]) == Kind::text)
    text += " " + std::string(trimmed(lines[at++]));
  return text;
}

void add_heading(report::Page& page, std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  const std::string words(trimmed(line.substr(level)));
  if (level == 1) {
    page.section(words);
  } else {
    page.subsection(words);
  }
}

void add_table(report::Page& page, const std::vector<std::string_view>& lines, std::size_t& at) {
  report::Table table;
  for (const std::string_view title : cells(lines[at++]))
    table.columns.push_back({.title = std::string(title)});
  for (; at < lines.size() && kind_of(lines[at]) == Kind::table; ++at) {
    if (is_rule(lines[at])) continue;
    std::vector<report::Markup> row;
    for (const std::string_view cell : cells(lines[at])) row.push_back(inline_markdown(cell));
    table.rows.push_back(std::move(row));
  }
  page.table(table);
}

void add_listing(report::Page& page, const std::vector<std::string_view>& lines, std::size_t& at) {
  std::string text;
  for (; at < lines.size() && kind_of(lines[at]) == Kind::listing; ++at)
    text += std::string(lines[at].substr(4)) + '\n';
  page.listing(text);
}

void add_list(report::Page& page, const std::vector<std::string_view>& lines, std::size_t& at) {
  std::vector<report::Markup> items;
  while (at < lines.size() && kind_of(lines[at]) == Kind::item)
    items.push_back(inline_markdown(joined_text(lines, at).substr(2)));
  page.list(items);
}

}  // namespace

report::Markup inline_markdown(std::string_view text) {
  report::Markup result;
  std::string plain;
  const auto flush = [&] {
    result += report::text(plain);
    plain.clear();
  };
  while (!text.empty()) {
    const std::string_view mark = text.starts_with("**") ? "**" : text.substr(0, 1);
    const std::size_t close =
        mark == "*" || mark == "**" || mark == "`" ? text.find(mark, mark.size()) : std::string_view::npos;
    const bool is_emphasis =
        mark[0] == '*' && close != std::string_view::npos && close > mark.size() && text[mark.size()] != ' ';
    if (mark == "`" && close != std::string_view::npos) {
      flush();
      result += report::code(text.substr(1, close - 1));
      text.remove_prefix(close + 1);
    } else if (is_emphasis) {
      flush();
      result += report::strong(text.substr(mark.size(), close - mark.size()));
      text.remove_prefix(close + mark.size());
    } else if (const std::size_t words = mark == "[" ? text.find("](") : std::string_view::npos;
               words != std::string_view::npos && text.find(')', words) != std::string_view::npos &&
               text.find('[', 1) > words) {
      const std::size_t end = text.find(')', words);
      const std::string_view address = text.substr(words + 2, end - words - 2);
      flush();
      result += address.starts_with("https:") ? report::link(address, text.substr(1, words - 1))
                                              : inline_markdown(text.substr(1, words - 1));
      text.remove_prefix(end + 1);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  flush();
  return result;
}

void add_markdown(report::Page& page, std::string_view markdown) {
  const std::vector<std::string_view> lines = lines_of(markdown);
  for (std::size_t at = 0; at < lines.size();) {
    switch (kind_of(lines[at])) {
      case Kind::blank:
        ++at;
        break;
      case Kind::heading:
        add_heading(page, lines[at++]);
        break;
      case Kind::table:
        add_table(page, lines, at);
        break;
      case Kind::listing:
        add_listing(page, lines, at);
        break;
      case Kind::item:
        add_list(page, lines, at);
        break;
      case Kind::text:
        page.paragraph(inline_markdown(joined_text(lines, at)));
        break;
    }
  }
}

}  // namespace jme::experiments
