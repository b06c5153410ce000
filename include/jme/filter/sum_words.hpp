#pragma once

#include <jme/filter/filter.hpp>

namespace jme {

/// How many doubles hold a running sum of noise. Rounding errors of one word add up for as long as the sum
/// remembers; two words keep nearly all of what one word would lose, and take twice the memory.
enum class SumWords { one, two };

/// Shapes without running sums, or with other memory besides them, have one word, whatever is asked for.
[[nodiscard]] bool can_have_two_words(const Filter& shape);

}  // namespace jme
