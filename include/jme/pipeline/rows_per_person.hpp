#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <jme/clock/time.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme {

/// How many rows of a person count, as it is written: "3" in all; "3/day", "3/6h" or "3/slot" in each window
/// of time; "3/day:30" besides 30 in all; "3/day:all" as many as all windows of the run allow.
struct RowsPerPerson {
  struct Window {
    Seconds length = 0;  ///< 0: a slot, however long it is
  };
  std::size_t rows = 1;
  std::optional<Window> window{};  ///< none: rows are limited in all
  std::optional<std::size_t> in_all{};
  bool in_all_windows = false;  ///< "all"

  /// Throws InvalidParameter("rows-per-person", ...).
  [[nodiscard]] static RowsPerPerson parse(const std::string& text);
};

/// What it means for a stream whose steps are known. Windows must be whole numbers of slots, and none of the
/// clock's slots may hold rows of two windows. Throws InvalidParameter.
[[nodiscard]] Participation participation_of(const RowsPerPerson& limit, const StreamConfig& stream,
                                             const std::optional<ClockConfig>& clock);

/// Sets how many rows of a person count, where the settings say so. Comes after the horizon is set.
void set_person_limit(StreamConfig& stream, const RunSettings& settings);

}  // namespace jme
