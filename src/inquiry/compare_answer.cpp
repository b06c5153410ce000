#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/inquiry/compare_answer.hpp>
#include <jme/output/release_writer.hpp>

namespace jme {
namespace {

using Json = nlohmann::ordered_json;

/// The steps of "A..B", or none where the text is a single moment.
std::optional<StepRange> range_of(const ReleasedRun& releases, const std::string& text,
                                  std::string_view field) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string begin = text.substr(0, dots), end = text.substr(dots + 2);
  StepRange range{.end = releases.step_at(end, field) + 1};
  if (begin != "0") range.begin = releases.step_at(begin, field) + 1;
  if (range.begin >= range.end) {
    throw InvalidParameter(field, text, "A..B with A before B: the rows after A up to B");
  }
  return range;
}

Json window_json(const ReleasedRun& releases, StepRange window) {
  const auto rows = [&](std::size_t end) { return end == 0 ? 0 : releases.sums().rows(end - 1); };
  Json result{{"after_t", window.begin == 0 ? 0 : rows(window.begin)}, {"t", rows(window.end)}};
  if (releases.run().clock()) {
    const SlotSchedule schedule = releases.run().schedule();
    result["begins"] = iso_text(schedule.begin_of(window.begin));
    result["ends"] = iso_text(schedule.end_of(window.end - 1));
  }
  return result;
}

Json known(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

TwoWindows windows_of(const ReleasedRun& releases, const CompareQuestion& question) {
  TwoWindows windows;
  if (const auto range = range_of(releases, question.from, "from")) {
    windows.before = *range;
  } else {
    windows.before = {.begin = 0, .end = releases.step_at(question.from, "from") + 1};
  }
  if (!question.to) {
    windows.after = {.begin = windows.before.end, .end = releases.sums().last_step() + 1};
    if (windows.after.begin >= windows.after.end) {
      throw InvalidParameter("from", question.from, "before the last release");
    }
  } else if (const auto range = range_of(releases, *question.to, "to")) {
    windows.after = *range;
  } else {
    windows.after = {.begin = windows.before.end, .end = releases.step_at(*question.to, "to") + 1};
    if (windows.after.begin >= windows.after.end) {
      throw InvalidParameter("to", *question.to, "after " + question.from);
    }
  }
  return windows;
}

std::string compare_statement(std::size_t columns, bool variance_is_released) {
  std::string text =
      "The interval of a change covers the change of the rows' expected value in 95% of cases: it has the "
      "noise, and the sampling error of rows that are independent of each other, ";
  text += variance_is_released ? "with the upper end of their released variance."
                               : "with the largest variance that the public bounds allow.";
  text += " p is the probability of so large a difference if nothing changed";
  if (columns > 1) {
    text +=
        fmt::format(", corrected by Holm's method for the {} columns that are looked at together", columns);
  }
  text += ". changed means that p is at most 0.05.";
  return text;
}

std::string change_words(const MeanChange& change) {
  if (!std::isfinite(change.change)) return "unknown: too few rows";
  return fmt::format("{:+.3g} ± {:.2g}", change.change, change.half_width);
}

Json compare_json(const ReleasedRun& releases, const CompareQuestion& question) {
  const TwoWindows windows = windows_of(releases, question);
  const RowVariance variance = releases.row_variance(std::max(windows.before.end, windows.after.end) - 1);
  const std::vector<MeanChange> changes = compare_means(
      releases.run().mechanism(), units_of(releases.run().bounds()), releases.sums(), windows, variance);
  Json before, after, change, low, high, noise, p, changed;
  for (const MeanChange& column : changes) {
    before.push_back(known(column.before));
    after.push_back(known(column.after));
    change.push_back(known(column.change));
    low.push_back(known(column.change - column.half_width));
    high.push_back(known(column.change + column.half_width));
    noise.push_back(known(column.noise_std));
    p.push_back(known(column.p));
    changed.push_back(std::isfinite(column.p) ? Json(column.changed) : Json());
  }
  return {{"from", window_json(releases, windows.before)},
          {"to", window_json(releases, windows.after)},
          {"columns", releases.run().columns()},
          {"mean", {{"before", before}, {"after", after}, {"change", change}}},
          {"interval", {{"change", {{"low", low}, {"high", high}}}}},
          {"noise_std", {{"change", noise}}},
          {"p", p},
          {"changed", changed},
          {"correction", "holm"},
          {"statement", compare_statement(changes.size(), variance.is_released)}};
}

}  // namespace jme
