#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace jme {

/// Something that the writer of the input should know and that readers of the releases must not: these counts
/// are data. The library returns notes and prints none.
struct Note {
  enum class Kind {
    bad_rows,         ///< rows that counted as zero
    unread_rows,      ///< rows that counted as rows without cells
    nobodys_rows,     ///< the same, because they carried no id of a person
    rows_over_limit,  ///< the same, because the person had as many rows as count
    filled_rows,      ///< rows with at least one cell that was filled
    absent_rows,      ///< rows with at least one cell that stayed absent
    filled_cells,     ///< cells of one column that were filled
    absent_cells,     ///< cells of one column that stayed absent
    clamped_low,      ///< cells of one column that were below its bounds and were clamped to LOW
    clamped_high,     ///< cells of one column that were above its bounds and were clamped to HIGH
    rows_outside      ///< rows whose time is outside of the schedule: they count nowhere
  };
  Kind kind;
  std::size_t count;                    ///< at least 1
  std::size_t rows;                     ///< of all that were taken; of clamped cells: that had such a cell
  std::optional<std::size_t> column{};  ///< of notes about cells: its index, from 0
};

/// "bad_rows", as fronts spell it.
[[nodiscard]] std::string_view name(Note::Kind kind);
/// clamped_low and clamped_high.
[[nodiscard]] bool is_about_clamping(Note::Kind kind);

}  // namespace jme
