#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/data/row_reader.hpp>

namespace jme::data {

/// How many cells a row must have.
struct RowWidth {
  std::size_t cells = 0;
  bool exactly = true;

  [[nodiscard]] bool admits(std::size_t count) const { return exactly ? count == cells : count >= cells; }
};

/// "2 are needed" or "at least 2 are needed".
[[nodiscard]] std::string describe(const RowWidth& width);

/// Columns of input without a header, as the options declare them: no row can change them.
struct DeclaredColumns {
  std::vector<std::string> names;
  std::vector<std::size_t> places;      ///< in a row of cells, from 0; empty unless every name is a number
  std::optional<std::size_t> person{};  ///< the place of the id, where there is one and all have places
  RowWidth width;                       ///< of a row of cells
  /// Of the column that says when a row happened, in a row of cells; none where that has a name.
  std::optional<std::size_t> time_place{};
};

/// Throws InvalidParameter("columns", ...) where nothing is declared or a column is taken twice.
[[nodiscard]] DeclaredColumns declared_columns(const InputOptions& options);

}  // namespace jme::data
