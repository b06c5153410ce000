#include "slot_pump.hpp"

#include <optional>
#include <string>
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

void pump_slots(RowReader& reader, RowIntake& intake, TimedRows& rows, RunningStream& stream,
                const LiveInput* live, bool quiet) {
  Progress progress(quiet, 0);
  std::vector<double> row(reader.dimension());
  while (reader.next(row)) {
    if (live != nullptr) live->check();
    if (reader.is_bad()) {
      rows.take_bad(intake, row, reader.time(), reader.person());
    } else {
      rows.take(intake, row, reader.missing_cells(), *reader.time(), reader.person());
    }
    if (progress.is_shown() && reader.progress()) progress.update_fraction(*reader.progress());
  }
  tell_outside(rows.outside(), rows.rows());
  if (const std::optional<std::string> doubts = rows.doubts("--time-unit")) print_warning(*doubts);
  rows.release_to(stream);
  stream.end_input();
}

}  // namespace jme::cli
