#include "text_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace jme::cli {

namespace {

constexpr char32_t replacement = 0xfffd;

struct Range {
  char32_t first, last;
};

// Unicode 15: blocks of combining marks and of characters without a width.
constexpr std::array narrow_to_nothing{Range{0x300, 0x36f},   Range{0x483, 0x489},   Range{0x591, 0x5bd},
                                       Range{0x610, 0x61a},   Range{0x64b, 0x65f},   Range{0x1ab0, 0x1aff},
                                       Range{0x1dc0, 0x1dff}, Range{0x200b, 0x200d}, Range{0x20d0, 0x20ff},
                                       Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}};
// Blocks of East Asian Width W and F.
constexpr std::array wide{Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},  Range{0x3041, 0x33ff},
                          Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},  Range{0xa000, 0xa4cf},
                          Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},  Range{0xfe30, 0xfe6f},
                          Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},  Range{0x1f300, 0x1f64f},
                          Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};

template <std::size_t size>
bool is_in(const std::array<Range, size>& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [&](const Range& r) { return r.first <= c && c <= r.last; });
}

/// The next character of UTF-8 text, which loses it; a byte that is none becomes a replacement.
char32_t take(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  const std::size_t length = lead < 0x80       ? 1
                             : lead >> 5 == 6  ? 2
                             : lead >> 4 == 14 ? 3
                             : lead >> 3 == 30 ? 4
                                               : 0;
  char32_t c = length == 1 ? lead : length > 1 ? lead & (0xffU >> (length + 1)) : replacement;
  bool is_good = length > 0 && length <= text.size();
  for (std::size_t i = 1; is_good && i < length; ++i) {
    is_good = byte(i) >> 6 == 2;
    c = c << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  is_good = is_good && c >= least[length] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
  text.remove_prefix(is_good ? length : 1);
  return is_good ? c : replacement;
}

std::size_t width_of(char32_t c) {
  if (is_in(narrow_to_nothing, c)) return 0;
  return is_in(wide, c) ? 2 : 1;
}

/// Line and paragraph separators, marks of direction, and everything that a terminal may take for an order.
bool is_order(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take(text));
  return width;
}

std::string plain(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take(text);
    if (c == replacement || is_order(c)) {
      result += "\xef\xbf\xbd";
    } else {
      result += before.substr(0, before.size() - text.size());
    }
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string_view rest = text;
  std::size_t taken = 0, used = 0;
  while (!rest.empty()) {
    const std::size_t next = width_of(take(rest));
    if (used + next > width - 1) break;
    used += next;
    taken = text.size() - rest.size();
  }
  return std::string(text.substr(0, taken)) + "\xe2\x80\xa6";
}

}  // namespace jme::cli
