#include "notes.hpp"

#include <fmt/format.h>

#include "exit_codes.hpp"

namespace jme::cli {

void tell(const RowIntake& intake, const PreparedRun& run, const std::vector<std::string>& columns) {
  std::size_t filled_rows = 0;
  std::string filled;
  for (const Note& note : intake.notes()) {
    switch (note.kind) {
      case Note::Kind::bad_rows:
        print_note(fmt::format(
            "{} bad row(s), {:.2g}% of all, counted as zero{}, and the means move towards it by that "
            "share; keep these numbers to yourself",
            note.count, 100.0 * static_cast<double>(note.count) / static_cast<double>(note.rows),
            run.bounds().is_none() ? "" : ", the middle of the bounds"));
        break;
      case Note::Kind::filled_rows:
        filled_rows = note.count;
        break;
      case Note::Kind::filled_cells:
        filled += fmt::format("{}{} {}", filled.empty() ? "" : ", ", columns[*note.column], note.count);
        break;
    }
  }
  if (filled_rows == 0) return;
  print_note(fmt::format("{} row(s) had missing cells that were filled ({}); keep these numbers to yourself",
                         filled_rows, filled));
}

void tell_unused(const PreparedRun& run) {
  for (const UnusedEmitOption option : run.unused_emit_options()) {
    print_note(option == UnusedEmitOption::psd
                   ? "--psd changes the covariance only, which is not emitted"
                   : "--raw changes the covariance and what is computed from it, which is not emitted");
  }
}

}  // namespace jme::cli
