#pragma once

#include <cstdint>

#include <jme/base/horizon.hpp>
#include <jme/data/row_reader.hpp>
#include <jme/pipeline/bounds_search.hpp>
#include <jme/pipeline/left_out_records.hpp>
#include <jme/pipeline/row_intake.hpp>
#include <jme/pipeline/running_stream.hpp>

#include "live_input.hpp"

namespace jme::cli {

/// The stations of a row on its way from the file into the stream.
struct RowPath {
  RowReader& reader;
  RowIntake& intake;
  RunningStream& stream;
  LiveInput* live;  ///< null where the process may end at any time
  OnBadRow on_bad_row;
  Horizon horizon;
  bool resumes = false;  ///< rows that earlier processes took do not come again
  /// The input has no end of its own: the run ends after the last row of the horizon.
  bool ends_at_horizon = false;
};

/// Takes all rows of the input through the stream, one after another; each release that may leave the process
/// does so before the next row is read. Where the input fails or the process is told to end, what was
/// released stays released and the error is passed on. `quiet`: no progress bar.
void pump(const RowPath& path, bool quiet);

/// Whether anybody may know how many records the input has. Where it is private, records that do not come are
/// records without cells: an error would tell exactly that they did not.
enum class Count : std::uint8_t { is_public, is_private };

/// Reads the records of a search, the first of the input, and not one more.
void read_searched(RowReader& reader, BoundsSearch& search, Count count);

/// Reads the first records of the input, which were searched for bounds, and forgets them. Throws DataError
/// where there are fewer and their number is public, and StateError where they are others.
void leave_out(RowReader& reader, LeftOutRecords records, Count count);

}  // namespace jme::cli
