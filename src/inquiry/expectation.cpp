#include "inquiry/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/named_parts.hpp>
#include <jme/base/parse.hpp>
#include <jme/clock/time.hpp>

namespace jme::inquiry {

namespace {

/// Bounds are kept as centre and half-width: one that is given as a mean may lie beyond it by a rounding.
constexpr double rounding = 1e-9;

void set_means(std::vector<Column>& columns, const ColumnBounds& bounds, const Asked& asked) {
  if (!asked) return;
  for (const Named& named : parse_named("expect-mean", *asked)) {
    const std::size_t i = place_of(columns, "expect-mean", named);
    const double mean = (named.value - bounds.centre()[i]) / bounds.half_width()[i];
    if (!(std::abs(mean) <= columns[i].reach + rounding)) {
      throw InvalidParameter("expect-mean", fmt::format("{} must lie within its bounds", named.column));
    }
    columns[i].mean = mean;
  }
}

void set_deviations(std::vector<Column>& columns, const Asked& asked) {
  if (!asked) return;
  for (const Named& named : parse_named("expect-std", *asked)) {
    Column& column = columns[place_of(columns, "expect-std", named)];
    const double deviation = named.value / column.half_width;
    if (!(deviation > 0) || !(std::hypot(column.mean.value_or(0), deviation) <= column.reach + rounding)) {
      throw InvalidParameter(
          "expect-std",
          fmt::format("{} must be above 0, and small enough for cells within its bounds", named.column));
    }
    column.deviation = deviation;
  }
}

double share_that_counts(const StreamConfig& config, const BudgetQuestion& question) {
  if (!question.expect_per_person) return 1;
  if (!config.persons_are_limited) {
    throw InvalidParameter("expect-per-person", "is used together with rows-per-person");
  }
  const Participation& limit = config.participation;
  const std::size_t rows = limit.windows ? limit.windows->rows : limit.rows;
  // The windows of the run may have so many rows together in any case.
  if (limit.windows && !limit.windows->are_units && limit.rows / rows < limit.windows->count) {
    throw InvalidParameter("expect-per-person",
                           "must be left out where rows of a person are limited in windows and in all: "
                           "expect-rows then says how many rows count");
  }
  double all = 0, counting = 0;
  for (const std::string& text : parse_list("expect-per-person", *question.expect_per_person)) {
    const double of_person = parse_positive("expect-per-person", text);
    all += of_person;
    counting += std::min(of_person, static_cast<double>(rows));
  }
  return counting / all;
}

/// Rows of a slot: "500", or "500/1h".
double rows_of_slot(const std::string& text, Seconds length) {
  const std::size_t slash = text.find('/');
  const double rows = parse_positive("expect-rows", text.substr(0, slash));
  if (slash == std::string::npos) return rows;
  const std::optional<Seconds> per = parse_duration(text.substr(slash + 1));
  if (!per) throw InvalidParameter("expect-rows", text, "so many in a length of time, such as 500/1h");
  return rows * static_cast<double>(length) / static_cast<double>(*per);
}

std::size_t slots_of(const Horizon& horizon, const BudgetQuestion& question) {
  if (!question.expect_slots) {
    if (!horizon.is_unbounded()) return horizon.steps();
    throw InvalidParameter("expect-slots", "must be given where the number of slots is unbounded");
  }
  const std::size_t slots = parse_count("expect-slots", *question.expect_slots);
  if (slots > horizon.steps()) {
    throw InvalidParameter("expect-slots", *question.expect_slots,
                           fmt::format("at most {}, those of the schedule", horizon.steps()));
  }
  return slots;
}

}  // namespace

std::vector<Named> parse_named(std::string_view field, const std::string& text) {
  std::vector<Named> result;
  for (const NamedPart& part : parse_named_parts(field, text, "temp=37,pulse=80")) {
    const double value = parse_real(field, part.value);
    if (!std::isfinite(value)) throw InvalidParameter(field, part.value, "a finite number");
    result.push_back({.column = part.name, .value = value});
  }
  return result;
}

std::size_t place_of(const std::vector<Column>& columns, std::string_view field, const Named& named) {
  const auto found =
      std::ranges::find_if(columns, [&](const Column& column) { return column.name == named.column; });
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  std::string names;
  for (const Column& column : columns) names += (names.empty() ? "" : ", ") + column.name;
  throw InvalidParameter(field, named.column, "one of the columns: " + names);
}

std::vector<double> Column::means(std::optional<double> with_deviation) const {
  if (mean) return {*mean};
  const double widest = with_deviation.value_or(deviation.value_or(0));
  return {0, std::sqrt(std::max(0.0, reach * reach - widest * widest))};
}

std::vector<Column> columns_of(const PreparedRun& run, const BudgetQuestion& question) {
  const StreamConfig& config = run.mechanism().config();
  const bool bounded = !run.bounds().is_none();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < config.dimension; ++i) {
    columns.push_back({.name = run.columns()[i],
                       .half_width = run.bounds().half_width()[i],
                       .reach = bounded ? 1 : config.norm_bound});
  }
  set_means(columns, run.bounds(), question.expect_mean);
  set_deviations(columns, question.expect_std);
  return columns;
}

Rows rows_of(const PreparedRun& run, const BudgetQuestion& question) {
  const Horizon& horizon = run.mechanism().horizon();
  Rows rows{.share = share_that_counts(run.mechanism().config(), question)};
  if (horizon.has_slots()) {
    if (!question.expect_rows) {
      throw InvalidParameter("expect-rows",
                             "must be given where steps are slots of time: how many rows a slot has on "
                             "average, or so many in each hour, 500/1h");
    }
    rows.places = slots_of(horizon, question);
    rows.per_place = rows_of_slot(*question.expect_rows, run.clock()->length);
    return rows;
  }
  if (question.expect_slots) {
    throw InvalidParameter("expect-slots", "is for steps that are slots of time (every 1h)");
  }
  if (question.expect_rows) {
    rows.places = parse_count("expect-rows", *question.expect_rows);
    if (rows.places > horizon.rows()) {
      throw InvalidParameter("expect-rows", *question.expect_rows,
                             fmt::format("at most {}, the rows that the stream can have", horizon.rows()));
    }
  } else if (horizon.is_unbounded()) {
    throw InvalidParameter("expect-rows", "must be given where the number of rows is unbounded");
  } else {
    rows.places = horizon.rows();
  }
  return rows;
}

}  // namespace jme::inquiry
