#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <jme/clock/time.hpp>

namespace jme {
namespace {

constexpr Seconds minute = 60, hour = 3600, day = 86'400;
constexpr std::array<std::pair<char, Seconds>, 4> units{{{'d', day}, {'h', hour}, {'m', minute}, {'s', 1}}};

Seconds days_since_1970(int year, unsigned month, unsigned of_month) {
  using namespace std::chrono;
  return sys_days(
             year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(of_month)))
      .time_since_epoch()
      .count();
}

const Seconds first_time = days_since_1970(1, 1, 1) * day;
const Seconds end_of_time = days_since_1970(10'000, 1, 1) * day;

std::optional<Seconds> within_years(Seconds time) {
  if (time < first_time || time >= end_of_time) return std::nullopt;
  return time;
}

/// Takes a text apart from its beginning.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  [[nodiscard]] bool sees(char wanted) const { return !left_.empty() && left_.front() == wanted; }
  bool take(char wanted) {
    if (!sees(wanted)) return false;
    left_.remove_prefix(1);
    return true;
  }
  /// Exactly this many digits.
  std::optional<int> digits(std::size_t count) {
    if (left_.size() < count) return std::nullopt;
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (left_[i] < '0' || left_[i] > '9') return std::nullopt;
      number = 10 * number + (left_[i] - '0');
    }
    left_.remove_prefix(count);
    return number;
  }
  /// One digit or more, whatever they are.
  bool skip_digits() {
    const std::size_t count = std::min(left_.find_first_not_of("0123456789"), left_.size());
    left_.remove_prefix(count);
    return count > 0;
  }

 private:
  std::string_view left_;
};

std::optional<Seconds> scan_date(Scanner& text) {
  using namespace std::chrono;
  const auto y = text.digits(4);
  if (!y || !text.take('-')) return std::nullopt;
  const auto m = text.digits(2);
  if (!m || !text.take('-')) return std::nullopt;
  const auto d = text.digits(2);
  if (!d) return std::nullopt;
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)),
                            std::chrono::day(static_cast<unsigned>(*d)));
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch().count() * day;
}

// A leap second counts as the second before it.
std::optional<Seconds> scan_time_of_day(Scanner& text) {
  const auto h = text.digits(2);
  if (!h || *h > 23 || !text.take(':')) return std::nullopt;
  const auto m = text.digits(2);
  if (!m || *m > 59) return std::nullopt;
  Seconds time = *h * hour + *m * minute;
  if (!text.take(':')) return time;
  const auto s = text.digits(2);
  if (!s || *s > 60) return std::nullopt;
  time += std::min(*s, 59);
  if ((text.take('.') || text.take(',')) && !text.skip_digits()) return std::nullopt;
  return time;
}

/// What the clock on the wall is ahead of UTC.
std::optional<Seconds> scan_offset(Scanner& text) {
  if (text.take('Z') || text.take('z') || text.is_at_end()) return 0;
  const bool behind = text.sees('-');
  if (!text.take('+') && !text.take('-')) return std::nullopt;
  const auto h = text.digits(2);
  if (!h || *h > 23) return std::nullopt;
  Seconds offset = *h * hour;
  if (!text.is_at_end()) {
    text.take(':');
    const auto m = text.digits(2);
    if (!m || *m > 59) return std::nullopt;
    offset += *m * minute;
  }
  return behind ? -offset : offset;
}

std::optional<Seconds> parse_iso(std::string_view text) {
  Scanner scanner(text);
  const auto date = scan_date(scanner);
  if (!date) return std::nullopt;
  if (scanner.is_at_end()) return within_years(*date);
  if (!scanner.take('T') && !scanner.take('t') && !scanner.take(' ')) return std::nullopt;
  const auto time = scan_time_of_day(scanner);
  if (!time) return std::nullopt;
  const auto offset = scan_offset(scanner);
  if (!offset || !scanner.is_at_end()) return std::nullopt;
  return within_years(*date + *time - *offset);
}

/// Numbers of this unit make so many seconds, or so many of them make one: a division by a whole number is
/// rounded once, so that whole milliseconds and microseconds never move to another second.
struct UnitOfTime {
  TimeUnit unit;
  std::string_view name, plural;
  double seconds, per_second;
};
constexpr std::array<UnitOfTime, 6> units_of_time{{{TimeUnit::second, "s", "seconds", 1, 1},
                                                   {TimeUnit::millisecond, "ms", "milliseconds", 1, 1e3},
                                                   {TimeUnit::microsecond, "us", "microseconds", 1, 1e6},
                                                   {TimeUnit::minute, "minute", "minutes", minute, 1},
                                                   {TimeUnit::hour, "hour", "hours", hour, 1},
                                                   {TimeUnit::day, "day", "days", day, 1}}};

const UnitOfTime& about(TimeUnit unit) {
  return units_of_time[static_cast<std::size_t>(unit)];
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::optional<TimeUnit> parse_time_unit(std::string_view text) {
  for (const UnitOfTime& unit : units_of_time) {
    if (unit.name == text) return unit.unit;
  }
  return std::nullopt;
}

std::string_view name(TimeUnit unit) {
  return about(unit).name;
}

std::string_view plural(TimeUnit unit) {
  return about(unit).plural;
}

std::optional<Seconds> time_of(double number, TimeUnit unit) {
  const double seconds = number * about(unit).seconds / about(unit).per_second;
  // Also false for NaN.
  if (!(seconds >= static_cast<double>(first_time) && seconds < static_cast<double>(end_of_time)))
    return std::nullopt;
  return static_cast<Seconds>(std::floor(seconds));
}

std::optional<Seconds> parse_time(std::string_view text, TimeUnit unit) {
  text = trimmed(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return time_of(number, unit);
  return parse_iso(text);
}

std::string iso_text(Seconds time) {
  using namespace std::chrono;
  const sys_seconds point{seconds(time)};
  const sys_days midnight = floor<days>(point);
  const year_month_day date(midnight);
  const Seconds rest = (point - midnight).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), rest / hour,
                     rest % hour / minute, rest % minute);
}

std::optional<Seconds> parse_duration(std::string_view text) {
  Seconds count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  constexpr Seconds most = 366'000 * day;  // a thousand years
  if (error != std::errc{} || end + 1 != text.data() + text.size() || count < 1 || count > most)
    return std::nullopt;
  for (const auto& [letter, length] : units) {
    if (*end == letter) return count <= most / length ? std::optional(count * length) : std::nullopt;
  }
  return std::nullopt;
}

std::string duration_text(Seconds length) {
  for (const auto& [letter, unit] : units) {
    if (length % unit == 0) return fmt::format("{}{}", length / unit, letter);
  }
  return {};
}

}  // namespace jme
