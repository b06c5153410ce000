#pragma once

#include <jme/data/row_reader.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/pipeline/timed_rows.hpp>

#include "live_input.hpp"

namespace jme::cli {

/// Reads all rows of the input, each into the slot of its own time, then releases all slots. `live`: null
/// where the process may end at any time. `quiet`: no progress bar.
void pump_slots(RowReader& reader, RowIntake& intake, TimedRows& rows, RunningStream& stream,
                const LiveInput* live, bool quiet);

}  // namespace jme::cli
