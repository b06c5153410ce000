#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jme {

// Parameters as people write them. `name` is the parameter's name, for the message of the InvalidParameter
// that each function throws.

/// All of `text` as a number in the C locale; NaN and infinity pass, so that the range check can report them.
[[nodiscard]] double parse_real(std::string_view name, std::string_view text);
/// A finite number above 0.
[[nodiscard]] double parse_positive(std::string_view name, std::string_view text);
/// A whole number: "1000000" or exactly "1e6".
[[nodiscard]] std::size_t parse_count(std::string_view name, std::string_view text, std::size_t minimum = 1);
/// "a,b,c": every part must be non-empty, and no part may occur twice.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view name, std::string_view text);

}  // namespace jme
