#include "report/unicode.hpp"

#include <algorithm>
#include <cstdint>

namespace jme::report {

namespace {

constexpr char32_t replacement = 0xFFFD;

bool is_allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  if (c >= 0x7F && c <= 0x9F) return false;  // DEL and the C1 controls
  if (c >= 0xD800 && c <= 0xDFFF) return false;
  if ((c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF)) return false;  // noncharacters
  const bool turns_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E ||
                               c == 0x200F || c == 0x061C;
  return !turns_direction;
}

/// Bytes of the sequence that begins with `lead`; 0 where no sequence begins with it.
std::size_t sequence_length(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

/// Widths in thousandths of the font size, near those of DejaVu Sans: the widest of the common fonts, so that
/// the others fit as well.
double character_width(char32_t c) {
  if (c == 'i' || c == 'j' || c == 'l' || c == '\'') return 285;
  if (c == ' ' || c == 'I' || c == '.' || c == ',' || c == ':' || c == ';' || c == '/' || c == '|')
    return 340;
  if (c == 'f' || c == 't' || c == 'r' || c == '-' || c == '!' || c == '(' || c == ')' || c == '[' ||
      c == ']') {
    return 405;
  }
  if (c == 'm' || c == 'M' || c == 'W' || c == '@' || c == '%') return 980;
  if (c == 'w' || c == '+' || c == '=' || c == '<' || c == '>' || c == U'−' || c == U'×' || c == U'±')
    return 840;
  if (c >= 'A' && c <= 'Z') return 720;
  if (c == U'⁻' || c == U'¹' || c == U'²' || c == U'³' || (c >= 0x2070 && c <= 0x2089)) return 420;
  if (c == U'…' || c >= 0x1100) return 1000;  // ideographs, emoji
  return 636;
}

}  // namespace

std::u32string decoded(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const std::size_t length = sequence_length(lead);
    char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    bool broken = length == 0 || i + length > text.size();
    for (std::size_t k = 1; !broken && k < length; ++k) {
      const auto byte = static_cast<std::uint8_t>(text[i + k]);
      broken = (byte & 0xC0) != 0x80;
      c = c << 6 | (byte & 0x3F);
    }
    // A sequence that is longer than its character needs is not allowed: it could hide the character.
    broken = broken || (length == 3 && c < 0x800) || (length == 4 && (c < 0x10000 || c > 0x10FFFF));
    result += broken || !is_allowed(c) ? replacement : c;
    i += broken ? 1 : length;
  }
  return result;
}

std::string encoded(std::u32string_view text) {
  std::string result;
  const auto put = [&](char32_t byte) { result += static_cast<char>(static_cast<std::uint8_t>(byte)); };
  for (const char32_t c : text) {
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0 | c >> 6);
      put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      put(0xE0 | c >> 12);
      put(0x80 | (c >> 6 & 0x3F));
      put(0x80 | (c & 0x3F));
    } else {
      put(0xF0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3F));
      put(0x80 | (c >> 6 & 0x3F));
      put(0x80 | (c & 0x3F));
    }
  }
  return result;
}

double text_width(std::string_view text, double size) {
  double thousandths = 0;
  for (const char32_t c : decoded(text)) thousandths += character_width(c);
  return thousandths * size / 1000;
}

std::string elided(std::string_view text, double size, double width) {
  const std::u32string characters = decoded(text);
  const double room = width / size * 1000;
  double used = 0;
  std::size_t fitting = 0;  // how many fit with an ellipsis after them
  for (const char32_t c : characters) {
    used += character_width(c);
    if (used > room) return encoded(characters.substr(0, fitting)) + "…";
    if (used + character_width(U'…') <= room) ++fitting;
  }
  return encoded(characters);
}

std::vector<std::string> wrapped(std::string_view text, double size, double width, std::size_t most) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty() && lines.size() < most) {
    std::size_t end = 0, next = 0;  // the line is [0, end), the next begins at next
    for (std::size_t space = 0; space < rest.size();) {
      space = std::min(rest.find(' ', space), rest.size());
      if (end > 0 && text_width(rest.substr(0, space), size) > width) break;
      end = space;
      next = space = std::min(space + 1, rest.size());
    }
    const bool last = lines.size() + 1 == most;
    lines.push_back(elided(last ? rest : rest.substr(0, end), size, width));
    rest.remove_prefix(next);
  }
  return lines;
}

}  // namespace jme::report
