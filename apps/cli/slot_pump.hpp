#pragma once

#include <jme/data/row_reader.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/pipeline/timed_rows.hpp>

namespace jme::cli {

/// Reads all rows of the input, each into the slot of its own time, then releases all slots. `quiet`: no
/// progress bar.
void pump_slots(RowReader& reader, RowIntake& intake, TimedRows& rows, RunningStream& stream, bool quiet);

}  // namespace jme::cli
