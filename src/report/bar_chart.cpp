#include "report/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/report/line_chart.hpp>

#include "report/canvas.hpp"
#include "report/frame.hpp"
#include "report/number_text.hpp"
#include "report/panel.hpp"
#include "report/scale.hpp"
#include "report/theme.hpp"
#include "report/unicode.hpp"

namespace jme::report {

namespace {

constexpr double thickness = 16, between_groups = 8;
constexpr double text_size = 11.5;
constexpr double most_name_width = 120;

void check(const BarChart& chart) {
  if (chart.categories.empty() || chart.bars.empty()) {
    throw InvalidParameter("bars", "at least one category and one bar must be given");
  }
  for (const Bars& bars : chart.bars) {
    const std::size_t n = chart.categories.size();
    const bool intervals_fit =
        (bars.low.empty() && bars.high.empty()) || (bars.low.size() == n && bars.high.size() == n);
    if (bars.values.size() != n || !intervals_fit) {
      throw InvalidParameter("bars", "one value per category, and intervals for all or none, must be given");
    }
  }
  if (!(chart.width >= 160)) throw InvalidParameter("width", chart.width, "at least 160");
}

std::vector<Series> legend_entries(const BarChart& chart) {
  std::vector<Series> entries;
  if (chart.bars.size() < 2) return entries;
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    entries.push_back({.name = chart.bars[i].name,
                       .colour = chart.bars[i].colour.value_or(i),
                       .stroke = Stroke::none,
                       .marker = Marker::square});
  }
  return entries;
}

Range values_range(const BarChart& chart) {
  Range range{INFINITY, -INFINITY};
  for (const Bars& bars : chart.bars) {
    for (const std::vector<double>* values : {&bars.values, &bars.low, &bars.high}) {
      for (const double v : *values) {
        if (!std::isfinite(v) || (chart.value.scale == AxisScale::logarithmic && v <= 0)) continue;
        range = {std::min(range.low, v), std::max(range.high, v)};
      }
    }
  }
  return range;
}

std::string number_of(const Bars& bars, std::size_t i) {
  if (bars.low.empty()) return number_text(bars.values[i]);
  return plus_minus_text(bars.values[i], (bars.high[i] - bars.low[i]) / 2);
}

/// One bar with its interval and its number.
struct BarPlace {
  double top, height;
  std::string fill;
};

void draw_bar(Canvas& canvas, const Bars& bars, std::size_t i, const Scale& x, const BarPlace& place,
              bool with_number) {
  const double zero = x.kind == AxisScale::linear ? x(std::clamp(0.0, x.range.low, x.range.high)) : x.from;
  const double end = std::clamp(x(bars.values[i]), x.from, x.to);
  if (!std::isfinite(end)) return;
  canvas.rectangle({std::min(zero, end), place.top, std::max(std::abs(end - zero), 0.8), place.height},
                   place.fill, 1.5);
  double right = std::max(zero, end);
  if (!bars.low.empty() && std::isfinite(bars.low[i]) && std::isfinite(bars.high[i])) {
    const double middle = place.top + place.height / 2;
    const double low = std::clamp(x(bars.low[i]), x.from, x.to),
                 high = std::clamp(x(bars.high[i]), x.from, x.to);
    if (std::isfinite(low) && std::isfinite(high)) {
      canvas.line({low, middle}, {high, middle}, "thin pen");
      canvas.line({low, middle - 4}, {low, middle + 4}, "thin pen");
      canvas.line({high, middle - 4}, {high, middle + 4}, "thin pen");
      right = std::max(right, high);
    }
  }
  if (with_number) {
    canvas.text({right + 6, place.top + place.height / 2 + 4}, number_of(bars, i), {.size = text_size});
  }
}

}  // namespace

Drawing draw(const BarChart& chart) {
  check(chart);
  double name_width = 0, number_width = 0;
  for (const std::string& name : chart.categories)
    name_width = std::max(name_width, text_width(name, text_size));
  name_width = std::min({name_width, most_name_width, 0.4 * chart.width});
  if (chart.with_numbers) {
    for (const Bars& bars : chart.bars) {
      for (std::size_t i = 0; i < bars.values.size(); ++i) {
        number_width = std::max(number_width, text_width(number_of(bars, i), text_size) + 8);
      }
    }
  }
  const Heading heading(chart.title, chart.width - 2 * margin);
  const std::vector<Series> entries = legend_entries(chart);
  const Legend legend(entries, chart.width - 2 * margin);
  const double group = static_cast<double>(chart.bars.size()) * thickness + between_groups;
  const double top = margin + heading.height() + legend.height() + 6;
  const double bottom = top + static_cast<double>(chart.categories.size()) * group;
  const std::string title = axis_title(chart.value);
  Canvas canvas({chart.width, bottom + 20 + (title.empty() ? 0 : 16) + margin});
  heading.draw(canvas, {margin, margin});
  legend.draw(canvas, {margin, margin + heading.height() + 4});

  const double left = margin + name_width + 8;
  const double right = std::max(left + 60, chart.width - margin - number_width - 6);
  const int most = std::clamp(static_cast<int>((right - left) / 60), 2, 6);
  const Scale x{.kind = chart.value.scale,
                .range = axis_range(chart.value, values_range(chart), 0),
                .from = left,
                .to = right};
  for (const Tick& tick : ticks(x.range, x.kind, most)) {
    if (tick.label.empty()) continue;
    canvas.line({x(tick.value), top}, {x(tick.value), bottom}, tick.value == 0 ? "thin axis" : "thin grid");
    canvas.text({x(tick.value), bottom + 15}, tick.label,
                {.style = "soft", .anchor = Anchor::middle, .size = 11});
  }
  const std::string axis_words = elided(title, 11, chart.width - 2 * margin);
  const double half = text_width(axis_words, 11) / 2;
  canvas.text({std::clamp((left + right) / 2, margin + half, chart.width - margin - half), bottom + 31},
              axis_words, {.style = "soft", .anchor = Anchor::middle, .size = 11});
  for (std::size_t i = 0; i < chart.categories.size(); ++i) {
    const double group_top = top + static_cast<double>(i) * group + between_groups / 2;
    canvas.text({left - 7, group_top + (group - between_groups) / 2 + 4},
                elided(chart.categories[i], text_size, name_width + 2),
                {.anchor = Anchor::end, .size = text_size});
    for (std::size_t k = 0; k < chart.bars.size(); ++k) {
      const std::size_t colour = chart.bars[k].colour.value_or(k) % series_colours;
      draw_bar(canvas, chart.bars[k], i, x,
               {.top = group_top + static_cast<double>(k) * thickness + 1,
                .height = thickness - 2,
                .fill = fmt::format("f{}", colour)},
               chart.with_numbers);
    }
  }
  return std::move(canvas).finish(chart.title, chart.description);
}

}  // namespace jme::report
