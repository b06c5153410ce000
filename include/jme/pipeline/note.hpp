#pragma once

#include <cstddef>
#include <optional>

namespace jme {

/// Something that the writer of the input should know and that readers of the releases must not: these counts
/// are data. The library returns notes and prints none.
struct Note {
  enum class Kind {
    bad_rows,     ///< rows that counted as zero
    filled_rows,  ///< rows with at least one cell that was filled
    filled_cells  ///< cells of one column that were filled
  };
  Kind kind;
  std::size_t count;                    ///< at least 1
  std::size_t rows;                     ///< of all that were taken
  std::optional<std::size_t> column{};  ///< filled_cells: its index, from 0
};

}  // namespace jme
