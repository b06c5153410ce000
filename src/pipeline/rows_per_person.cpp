#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/pipeline/rows_per_person.hpp>

namespace jme {

namespace {

constexpr const char* limit_field = "rows-per-person";
constexpr std::size_t most_rows = 0xffffffff;

std::size_t parse_rows(const std::string& text) {
  const std::size_t rows = parse_count(limit_field, text);
  if (rows > most_rows) throw InvalidParameter(limit_field, text, "at most 4294967295");
  return rows;
}

RowsPerPerson::Window parse_window(const std::string& text) {
  if (text == "slot") return {};
  if (text == "day") return {.length = 86'400};
  if (text == "hour") return {.length = 3600};
  const std::optional<Seconds> length = parse_duration(text);
  if (!length) {
    throw InvalidParameter(limit_field, text,
                           "a window of time after the slash: day, hour, slot or a length as 6h");
  }
  return {.length = *length};
}

/// How many slots a window has. Slots may begin anywhere where each is a window, unless a promise is about
/// one window: a ledger adds up promises about windows of the same length, which must not overlap.
std::size_t slots_of(const RowsPerPerson::Window& window, const ClockConfig& clock, bool are_units) {
  if (window.length == 0 && !are_units) return 1;
  const std::string slot = duration_text(clock.length),
                    words = window.length == 0 ? slot : duration_text(window.length);
  if (window.length % clock.length != 0) {
    throw InvalidParameter(
        limit_field,
        fmt::format("slots of {} do not divide a window of {}: one release could hold rows of two "
                    "windows, and a person could have twice as many rows in it",
                    slot, words));
  }
  if (clock.from && *clock.from % clock.length != 0) {
    throw InvalidParameter(
        "from", iso_text(*clock.from),
        fmt::format("a whole number of slots of {} after midnight UTC, where rows of a person are limited in "
                    "windows of {}: windows of one length are the same in every run",
                    slot, words));
  }
  return window.length == 0 ? 1 : static_cast<std::size_t>(window.length / clock.length);
}

std::size_t windows_of(const StreamConfig& stream, const ClockConfig& clock, std::size_t slots) {
  const std::size_t steps = horizon_of(stream).steps();
  if (!clock.from) return windows_touched(steps, slots);  // wherever the run begins
  const SlotSchedule schedule{.start = *clock.from, .length = clock.length, .count = steps};
  const std::int64_t first = schedule.window_of(schedule.start, slots),
                     last = schedule.window_of(schedule.begin_of(steps - 1), slots);
  return static_cast<std::size_t>(last - first) + 1;
}

}  // namespace

RowsPerPerson RowsPerPerson::parse(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    if (text.find(':') != std::string::npos) {
      throw InvalidParameter(limit_field, text,
                             "P/day:N, where N is for all windows together; without windows P");
    }
    return {.rows = parse_rows(text)};
  }
  const std::size_t colon = text.find(':', slash);
  RowsPerPerson limit{.rows = parse_rows(text.substr(0, slash)),
                      .window = parse_window(text.substr(slash + 1, colon - slash - 1))};
  if (colon == std::string::npos) return limit;
  const std::string in_all = text.substr(colon + 1);
  limit.in_all_windows = in_all == "all";
  if (limit.in_all_windows) return limit;
  limit.in_all = parse_rows(in_all);
  if (*limit.in_all <= limit.rows) {
    throw InvalidParameter(limit_field, text,
                           "more rows in all than in one window; else leave the window out");
  }
  return limit;
}

Participation participation_of(const RowsPerPerson& limit, const StreamConfig& stream,
                               const std::optional<ClockConfig>& clock) {
  if (!limit.window) return {.rows = limit.rows};
  if (!clock) {
    throw InvalidParameter(limit_field,
                           "a limit for each window of time needs releases by the clock (every 1h) that "
                           "divide the window: a release after so many rows could hold rows of two windows");
  }
  const bool are_units = !limit.in_all && !limit.in_all_windows;
  RowWindows windows{.rows = limit.rows, .steps = slots_of(*limit.window, *clock, are_units)};
  windows.count = windows_of(stream, *clock, windows.steps);
  windows.are_units = are_units;
  if (limit.in_all_windows && stream.unbounded) {
    throw InvalidParameter(limit_field,
                           "all needs a number of slots: a run without an end has windows without end");
  }
  std::size_t in_all = limit.in_all.value_or(limit.rows);
  if (limit.in_all_windows &&
      (__builtin_mul_overflow(limit.rows, windows.count, &in_all) || in_all > most_rows)) {
    throw InvalidParameter(limit_field, "fewer rows: all windows together have more than 4294967295");
  }
  return {.rows = in_all, .windows = windows};
}

void set_person_limit(StreamConfig& stream, const RunSettings& settings) {
  const std::optional<std::string>& limit = settings["rows_per_person"];
  if (!limit) return;
  stream.participation = participation_of(RowsPerPerson::parse(*limit), stream, clock_config(settings));
  stream.persons_are_limited = stream.private_count = true;
}

}  // namespace jme
