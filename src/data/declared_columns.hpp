#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/data/input_options.hpp>

namespace jme::data {

/// "1 is needed" or "2 are needed".
[[nodiscard]] std::string needed(std::size_t cells);

/// Columns of input without a header, as the options declare them: no row can change them.
struct DeclaredColumns {
  std::vector<std::string> names;
  std::vector<std::size_t> places;      ///< in a row of cells, from 0; empty unless every name is a number
  std::optional<std::size_t> person{};  ///< the place of the id, where there is one and all have places
  /// Cells of a row, exactly: InputOptions::width, or else as many as the last column named here needs. With
  /// further cells, a delimiter too many in one cell would move the others, and with them the id.
  std::size_t width = 0;
  /// Of the column that says when a row happened, in a row of cells; none where that has a name.
  std::optional<std::size_t> time_place{};
};

/// Throws InvalidParameter where nothing is declared, a column is taken twice, or a number is beyond the
/// width.
[[nodiscard]] DeclaredColumns declared_columns(const InputOptions& options);

}  // namespace jme::data
