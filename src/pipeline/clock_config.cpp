#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/pipeline/clock_config.hpp>

#include "columns/number.hpp"

namespace jme {

namespace {

constexpr const char* lengths_of_time = "a length of time such as 90s, 15m, 1h or 1d";

/// Where rows' times count something else than seconds, a number would leave open which of the two it counts.
Seconds parse_date(std::string_view field, const std::string& text, TimeUnit unit_of_rows) {
  const std::optional<Seconds> time = parse_time(text);
  double ignored = 0.0;
  if (unit_of_rows != TimeUnit::second && parse_number(text, ignored) == CellStatus::number) {
    throw InvalidParameter(
        field, text,
        fmt::format("a time in ISO 8601 (UTC), as time-unit {} is given: a number could be seconds "
                    "or {}",
                    name(unit_of_rows), plural(unit_of_rows)));
  }
  if (!time) throw InvalidParameter(field, text, "a time in ISO 8601 (UTC) or in seconds since 1970");
  return *time;
}

TimeUnit time_unit_of(const RunSettings& settings) {
  const auto& text = settings["time_unit"];
  if (!text) return TimeUnit::second;
  const std::optional<TimeUnit> unit = parse_time_unit(*text);
  if (!unit) throw InvalidParameter("time-unit", *text, "s, ms, us, minute, hour or day");
  return *unit;
}

std::optional<std::string_view> rest_after(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) return std::nullopt;
  return text.substr(start.size());
}

}  // namespace

bool has_clock(const RunSettings& settings) {
  return settings["every"] && parse_duration(*settings["every"]).has_value();
}

std::optional<ClockConfig> clock_config(const RunSettings& settings) {
  if (!has_clock(settings)) return std::nullopt;
  const auto &time = settings["time"], &from = settings["from"], &until = settings["until"],
             &late = settings["late"];
  ClockConfig clock{.length = *parse_duration(*settings["every"]), .time_unit = time_unit_of(settings)};
  if (from) clock.from = parse_date("from", *from, clock.time_unit);
  if (until) clock.until = parse_date("until", *until, clock.time_unit);
  if (time) clock.time_column = *time;
  if (time && time->empty()) throw InvalidParameter("time", "the name of the column is empty");
  if (late) {
    if (*late != "current" && *late != "drop") throw InvalidParameter("late", *late, "current or drop");
    if (*late == "drop") clock.late = LateRows::drop;
  }
  if (until) static_cast<void>(SlotSchedule::between(*clock.from, *clock.until, clock.length));
  return clock;
}

void set_slots(StreamConfig& stream, const RunSettings& settings) {
  const ClockConfig clock = *clock_config(settings);
  stream.slot_seconds = static_cast<std::uint64_t>(clock.length);
  stream.every = 1;
  stream.rows.reset();
  if (clock.until) {
    stream.steps = SlotSchedule::between(*clock.from, *clock.until, clock.length).count;
  } else if (*settings["steps"] == "unbounded") {
    stream.unbounded = true;
  } else {
    stream.steps = parse_count("steps", *settings["steps"]);
  }
  stream.private_count = true;
  if (!settings["adjacency"]) stream.adjacency = Adjacency::add_remove;
}

std::optional<Workload> slot_workload(const std::string& text, std::string_view field, Seconds length) {
  if (text.starts_with('@')) return std::nullopt;
  if (const auto half_life = rest_after(text, "decay:half=")) {
    const std::optional<Seconds> half = parse_duration(*half_life);
    if (!half) throw InvalidParameter(field, text, fmt::format("decay:half= and {}", lengths_of_time));
    return decay(std::exp2(-static_cast<double>(length) / static_cast<double>(*half)));
  }
  if (text.starts_with("decay:")) {
    throw InvalidParameter(
        field, text, "decay:half=1d: a weight per row has no meaning where slots have any number of rows");
  }
  if (const auto span = rest_after(text, "window:")) {
    const std::optional<Seconds> seconds = parse_duration(*span);
    if (!seconds) throw InvalidParameter(field, text, fmt::format("window: and {}", lengths_of_time));
    if (*seconds % length != 0) {
      throw InvalidParameter(field, text,
                             fmt::format("a whole number of slots of {}", duration_text(length)));
    }
    return window(static_cast<std::size_t>(*seconds / length));
  }
  return Workload::parse(text, field);
}

}  // namespace jme
