#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jme {

/// The one of `words` that is written most like `word`; empty where there are none.
[[nodiscard]] std::string nearest_spelling(std::string_view word, std::span<const std::string> words);

}  // namespace jme
