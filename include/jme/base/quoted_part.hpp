#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jme {

/// A part as lists and ranges are written: as it is or, where it has a comma or an equals sign or begins with
/// a quote, in double quotes, with those inside it doubled.
[[nodiscard]] std::string quoted_part(std::string_view part);
/// Takes such a part from the front of `text`, which keeps what follows: nothing, or what begins with one of
/// `ends`. None where a quoted part does not end so.
[[nodiscard]] std::optional<std::string> take_part(std::string_view& text, std::string_view ends);

}  // namespace jme
