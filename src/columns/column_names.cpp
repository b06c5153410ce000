#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/columns/column_names.hpp>

namespace jme {

namespace {

/// The code point of two or three bytes of UTF-8; 0 where these are not the beginning of such.
char32_t code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  if ((byte(0) & 0xE0U) == 0xC0U && follows(1)) return ((byte(0) & 0x1FU) << 6U) | (byte(1) & 0x3FU);
  if ((byte(0) & 0xF0U) == 0xE0U && follows(1) && follows(2)) {
    return ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
  }
  return 0;
}

bool is_misleading(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return within(0x80, 0x9F) || c == 0x61C || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069);
}

}  // namespace

char32_t misleading_character(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    if (byte < 0x20 || byte == 0x7F) return byte == 0 ? 0xFFFD : byte;
    const char32_t c = code_point_at(name, i);
    if (c != 0 && is_misleading(c)) return c;
  }
  return 0;
}

void check_column_names(std::span<const std::string> names, std::string_view field) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char32_t c = misleading_character(names[i]);
    if (c == 0) continue;
    throw InvalidParameter(field,
                           fmt::format("the name of column {} has the character U+{:04X}, which is invisible "
                                       "or changes how the text around it is shown: rename the column",
                                       i + 1, static_cast<std::uint32_t>(c)));
  }
}

}  // namespace jme
