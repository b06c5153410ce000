#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace jme {

/// What a cell turned out to be.
enum class CellStatus { number, missing, text, not_finite, out_of_range };

/// The cell's fault in words, for messages; they never contain the cell itself.
[[nodiscard]] std::string_view describe(CellStatus status);

/// Reads a decimal number with optional sign and exponent, blanks around it allowed, into the nearest double
/// (ties to even), whatever the locale. Hexadecimal, nan and inf are refused; a number too small for a
/// subnormal is read as zero.
[[nodiscard]] CellStatus parse_number(std::string_view cell, double& value);

/// The same number, faster, for a cell with at least `number_padding` readable bytes from its beginning on,
/// whatever they hold.
constexpr std::size_t number_padding = 16;
[[nodiscard]] CellStatus parse_padded_number(std::string_view cell, double& value);

/// Whether the cell is blank or a word that stands for a missing value: NA, N/A, NaN, null, in any case.
[[nodiscard]] bool is_missing(std::string_view cell);

/// The index of a column that is named by its 1-based number, if `text` is such a number and at most `count`.
[[nodiscard]] std::optional<std::size_t> column_number(std::string_view text, std::size_t count);

}  // namespace jme
