#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jme::report {

/// The code points of UTF-8 text; U+FFFD for each byte that is not UTF-8, for control characters other than
/// tab and line end, for characters that reverse the text after them, and for code points XML does not allow.
[[nodiscard]] std::u32string decoded(std::string_view text);
[[nodiscard]] std::string encoded(std::u32string_view text);

/// Width of `text` in a common sans serif at `size` pixels, estimated a little high: drawings are laid out
/// without knowing the reader's fonts.
[[nodiscard]] double text_width(std::string_view text, double size);

/// `text`, or its beginning and an ellipsis where it is wider than `width`.
[[nodiscard]] std::string elided(std::string_view text, double size, double width);

/// Lines no wider than `width`, broken at spaces where possible, at most `most` of them.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double size, double width,
                                               std::size_t most);

}  // namespace jme::report
