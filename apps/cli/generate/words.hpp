#pragma once

#include <functional>
#include <string>
#include <vector>

#include <jme/base/field.hpp>

namespace jme::cli::generate {

/// Words of a text on lines of at most this width, without a line feed at the end.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width);
/// The help of a field and what the manual says besides. Settings in backticks are spelled by `spell`.
[[nodiscard]] std::string long_help(const Field& field,
                                    const std::function<std::string(const Field& other)>& spell);
/// "a b c"
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const std::string& between);
/// The text with other lines between the comments "generated: NAME" and "end". Throws where there are none.
[[nodiscard]] std::string with_region(const std::string& text, const std::string& name,
                                      const std::string& lines);

}  // namespace jme::cli::generate
