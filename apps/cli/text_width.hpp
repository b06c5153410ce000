#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jme::cli {

/// How many columns of a terminal UTF-8 text takes: two for wide characters of East Asia and for emoji, none
/// for combining marks.
[[nodiscard]] std::size_t text_width(std::string_view text);
/// `text` without what would change the terminal or the line: control characters, characters that reverse
/// text, and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string plain(std::string_view text);
/// `text`, or its beginning and an ellipsis where it is wider than `width`.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

}  // namespace jme::cli
