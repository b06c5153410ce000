#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <jme/clock/slots.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme {

/// What a live run does with a row whose own time is before the slot that is open. By this row alone.
enum class LateRows { current, drop };

/// Steps are slots of time. Public before the first row.
struct ClockConfig {
  Seconds length = 1;             ///< of a slot
  std::optional<Seconds> from{};  ///< live: by default the beginning of the slot in which the run starts
  /// Exclusive. Given: every row goes to the slot of its own time, and the input is read as a whole before
  /// the first release. None: slots close by the machine's clock, and a row belongs to the slot in which it
  /// arrives.
  std::optional<Seconds> until{};
  std::string time_column{};              ///< says when a row happened; empty: nothing does
  TimeUnit time_unit = TimeUnit::second;  ///< what numbers in it count, since 1970
  LateRows late = LateRows::current;

  [[nodiscard]] bool is_by_arrival() const { return !until; }
};

/// Whether `every` is a length of time, and steps are slots.
[[nodiscard]] bool has_clock(const RunSettings& settings);
/// The clock that settings ask for, after check(); none where steps are rows.
[[nodiscard]] std::optional<ClockConfig> clock_config(const RunSettings& settings);
/// Sets horizon, counts and adjacency of a stream whose steps are slots.
void set_slots(StreamConfig& stream, const RunSettings& settings);
/// A workload over slots: prefix, mean, decay:half=1d or window:24h. None for a matrix.
[[nodiscard]] std::optional<Workload> slot_workload(const std::string& text, std::string_view field,
                                                    Seconds length);

}  // namespace jme
