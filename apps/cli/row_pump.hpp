#pragma once

#include <cstdint>
#include <functional>

#include <jme/base/horizon.hpp>
#include <jme/data/input_reader.hpp>
#include <jme/pipeline/bounds_search.hpp>
#include <jme/pipeline/left_out_records.hpp>
#include <jme/pipeline/row_feed.hpp>

#include "live_input.hpp"

namespace jme::cli {

/// The rows of an input on their way into a stream.
struct RowPath {
  InputReader& reader;
  RowFeed& feed;
  LiveInput* live;  ///< null where the process may end at any time
  Horizon horizon;
  /// The place of the input is kept with every block.
  bool keeps_places;
  /// The input has no end of its own: the run ends after the last row of the horizon.
  bool ends_at_horizon = false;
};

/// Takes all rows of the input through the stream. Each release that may leave the process does so before
/// rows are waited for. Where the input fails or the process is told to end, what was released stays released
/// and the error is passed on. `quiet`: no progress bar.
void pump(const RowPath& path, bool quiet);

/// Takes all rows of the input, each into the slot of its own time, then releases all slots.
void pump_slots(const RowPath& path, bool quiet);

/// Whether anybody may know how many records the input has. Where it is private, records that do not come are
/// records without cells: an error would tell exactly that they did not.
enum class Count : std::uint8_t { is_public, is_private };

/// Reads the records of a search, which are the first of the input.
void read_searched(InputReader& reader, BoundsSearch& search, Count count);

/// Reads the first records of the input, which were searched for bounds, and forgets them. Throws DataError
/// where there are fewer and their number is public, and StateError where they are others.
void leave_out(InputReader& reader, LeftOutRecords records, Count count);

}  // namespace jme::cli
