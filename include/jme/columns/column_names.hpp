#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jme {

/// Names of columns stand in JSON, in reports, on pages, in logs and on terminals. Throws
/// InvalidParameter(field, ...) for a name with a control character, a line end, or a character that turns
/// the direction of the text after it, all of which can make a reader see another name. The message has the
/// column's number and the character's code point, and not the name.
///     check_column_names(names, "columns");
void check_column_names(std::span<const std::string> names, std::string_view field);

/// The code point of the first such character; 0 where there is none.
[[nodiscard]] char32_t misleading_character(std::string_view name);

}  // namespace jme
