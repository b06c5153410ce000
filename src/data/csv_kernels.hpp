#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jme::data {

/// Bytes that find_marks may read past the text, and places that it may write past the last.
constexpr std::size_t mark_padding = 64;

/// Writes the places of all delimiters, line feeds, quotes and NUL bytes of the text in ascending order, each
/// with `offset` added; returns how many. `places` has space for as many as the text has bytes, and the
/// padding.
std::size_t find_marks(std::string_view text, char delimiter, std::uint32_t offset, std::uint32_t* places);

}  // namespace jme::data
