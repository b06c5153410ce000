#pragma once

#include <array>
#include <cstddef>

namespace jme::cli {

/// One reading every two seconds for a day.
inline constexpr std::size_t demo_rows = 43'200;

/// Reading `t` of the built-in day (temp, humidity, co): a formula, the same everywhere, nobody's data.
[[nodiscard]] std::array<double, 3> demo_row(std::size_t t);

}  // namespace jme::cli
