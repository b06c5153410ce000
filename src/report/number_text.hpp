#pragma once

#include <cstddef>
#include <string>

namespace jme::report {

// Numbers as people read them: a true minus sign, commas from 10,000 on, powers of ten where zeros would have
// to be counted. Not a number and infinity are "–". The same on every machine and in every locale.

/// `digits` significant digits, more where the whole part has more: 0.0123, 79.8, 12,346, 1.23×10⁹.
[[nodiscard]] std::string number_text(double value, int digits = 3);

/// With this many decimals: -1,234.50.
[[nodiscard]] std::string fixed_text(double value, int decimals);

/// As it was meant, up to ten figures and no zeros behind them: 0.5, 45, 10,000.
[[nodiscard]] std::string plain_text(double value);

/// A count: 420,768.
[[nodiscard]] std::string count_text(std::size_t count);

/// Both to the second digit of `half_width`: 79.82 ± 0.87. Without a width the number alone: 1.
[[nodiscard]] std::string plus_minus_text(double value, double half_width);

/// Ten to the power of `exponent`: 0.01, 1, 100, 10⁶.
[[nodiscard]] std::string power_of_ten_text(int exponent);

}  // namespace jme::report
