#pragma once

#include <jme/data/row_reader.hpp>

#include "row_intake.hpp"
#include "running_stream.hpp"

namespace jme::cli {

/// All rows of the input through the stream, one after another; each release that may leave the process does
/// so before the next row is read. Where the input fails or the process is told to end, what was released
/// stays released and the error goes on. `quiet`: no progress bar.
void pump(RowReader& reader, RowIntake& intake, RunningStream& stream, const Horizon& horizon, bool quiet);

}  // namespace jme::cli
