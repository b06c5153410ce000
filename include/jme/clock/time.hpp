#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jme {

/// Seconds since 1970-01-01T00:00:00Z, without leap seconds. There is no other time zone here than UTC.
using Seconds = std::int64_t;

/// What a number counts that is a time, from 1970-01-01T00:00:00Z on.
enum class TimeUnit : std::uint8_t { second, millisecond, microsecond, minute, hour, day };
/// s, ms, us, minute, hour or day; none for anything else.
[[nodiscard]] std::optional<TimeUnit> parse_time_unit(std::string_view text);
[[nodiscard]] std::string_view name(TimeUnit unit);
/// "seconds", for messages.
[[nodiscard]] std::string_view plural(TimeUnit unit);

/// A time as people and programs write it: ISO 8601 ("2026-03-29", "2026-03-29T01:30", "2026-03-29
/// 01:30:00.25+02:00"; without an offset it is UTC) or seconds since 1970 ("1774747800", "1774747800.25").
/// `unit`: numbers count these instead; text in ISO 8601 stays what it is. Fractions of a second are cut off
/// towards the past. None for anything else, and for years outside 1 to 9999.
[[nodiscard]] std::optional<Seconds> parse_time(std::string_view text, TimeUnit unit = TimeUnit::second);
/// A number of units since 1970; none where it is no number or outside of these years.
[[nodiscard]] std::optional<Seconds> time_of(double number, TimeUnit unit = TimeUnit::second);
/// "2026-03-29T01:30:00Z".
[[nodiscard]] std::string iso_text(Seconds time);

/// A length of time as people write it: "90s", "15m", "1h", "1d". None for anything else.
[[nodiscard]] std::optional<Seconds> parse_duration(std::string_view text);
/// The same length in its largest whole unit: "1h".
[[nodiscard]] std::string duration_text(Seconds length);

}  // namespace jme
