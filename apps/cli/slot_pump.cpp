#include "slot_pump.hpp"

#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"
#include "progress.hpp"

namespace jme::cli {

namespace {

/// For the owner of the input alone.
void tell_outside(std::size_t outside, std::size_t rows) {
  if (outside == 0) return;
  print_note(
      fmt::format("{} of {} row(s) happened before --from or after --until and count nowhere; keep these "
                  "numbers to yourself",
                  outside, rows));
}

}  // namespace

void pump_slots(RowReader& reader, RowIntake& intake, SlotSums& sums, RunningStream& stream, bool quiet) {
  Progress progress(quiet, 0);
  std::vector<double> row(reader.dimension());
  std::size_t rows = 0, outside = 0;
  const bool limited = intake.person_limit() != nullptr;
  while (reader.next(row)) {
    ++rows;
    if (reader.is_bad()) {
      // A row without cells counts nowhere, but among the rows of its person.
      limited ? intake.take_bad(row, reader.person()) : intake.take_bad(row);
    } else {
      limited ? intake.take(row, reader.missing_cells(), reader.person())
              : intake.take(row, reader.missing_cells());
      if (!sums.add(*reader.time(), row)) ++outside;
    }
    if (progress.is_shown() && reader.progress()) progress.update_fraction(*reader.progress());
  }
  tell_outside(outside, rows);
  sums.release_to(stream);
  stream.end_input();
}

}  // namespace jme::cli
