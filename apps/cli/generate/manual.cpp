// Option sections of the manual page.
#include <set>

#include <jme/pipeline/run_fields.hpp>

#include "generated.hpp"
#include "words.hpp"

namespace jme::cli::generate {

namespace {

constexpr std::size_t line_width = 110;

std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') safe += "\\e";
    if (c == '-') safe += "\\-";
    if (c != '\\' && c != '-') safe += c;
  }
  return safe;
}

std::string title(const Field& field) {
  const std::string flag = roff(field.flag()), value = roff(field.value);
  if (!field.alias.empty()) {
    return ".BR " + flag + " \", \" \\-\\-" + roff(field.alias) + " \" \\fI" + value + "\\fR\"";
  }
  return field.type == Field::Type::flag ? ".B " + flag : ".BI " + flag + " \" " + value + '"';
}

std::string man_entry(const Field& field) {
  const auto bold = [](const Field& other) { return "\x01" + other.flag() + "\x02"; };
  std::string text = roff(wrapped(long_help(field, bold), line_width));
  for (std::size_t at = 0; (at = text.find_first_of("\x01\x02", at)) != std::string::npos;) {
    text.replace(at, 1, text[at] == '\x01' ? "\\fB" : "\\fR");
  }
  // A line that begins with one of these would be a request.
  for (std::size_t line = 0; line != std::string::npos; line = text.find('\n', line + 1)) {
    const std::size_t first = line == 0 ? 0 : line + 1;
    if (text[first] == '.' || text[first] == '\'') text.insert(first, "\\&");
  }
  return ".TP\n" + title(field) + '\n' + text + '\n';
}

}  // namespace

std::string manual(std::string text) {
  std::set<std::string> groups;
  for (const RunField& field : run_fields()) groups.insert(field.group);
  for (const std::string& group : groups) {
    std::string entries;
    for (const RunField& field : run_fields()) {
      if (field.group == group) entries += man_entry(field);
    }
    text = with_region(text, group, entries);
  }
  return text;
}

}  // namespace jme::cli::generate
