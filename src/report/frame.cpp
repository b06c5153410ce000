#include "report/frame.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/unicode.hpp"

namespace jme::report {

namespace {

constexpr double tick_size = 11.5;
constexpr double tick_height = 17;   // labels under the plot
constexpr double title_height = 16;  // an axis' title
constexpr double between_labels = 12;

int ticks_in(double pixels, double each) {
  return std::clamp(static_cast<int>(pixels / each), 2, 8);
}

bool labels_overlap(const std::vector<Tick>& all, const Scale& scale) {
  double free_from = -1e9;
  for (const Tick& tick : all) {
    if (tick.label.empty()) continue;
    const double half = text_width(tick.label, tick_size) / 2;
    if (scale(tick.value) - half < free_from) return true;
    free_from = scale(tick.value) + half + between_labels;
  }
  return false;
}

std::vector<Tick> fitting_ticks(const Scale& scale, int most) {
  std::vector<Tick> all = ticks(scale.range, scale.kind, most);
  while (most > 1 && labels_overlap(all, scale)) all = ticks(scale.range, scale.kind, --most);
  return all;
}

double widest(const std::vector<Tick>& all) {
  double width = 0;
  for (const Tick& tick : all) width = std::max(width, text_width(tick.label, tick_size));
  return width;
}

}  // namespace

std::string axis_title(const Axis& axis) {
  if (axis.unit.empty()) return axis.label;
  return axis.label.empty() ? axis.unit : fmt::format("{} ({})", axis.label, axis.unit);
}

Range axis_range(const Axis& axis, Range data, int most) {
  if (axis.with_zero && axis.scale == AxisScale::linear) {
    data = {std::min(data.low, 0.0), std::max(data.high, 0.0)};
  }
  const Range given{axis.low.value_or(data.low), axis.high.value_or(data.high)};
  Range range = drawable(given, axis.scale);
  if (most == 0) return range;
  const Range rounded = rounded_out(range, axis.scale, most);
  const bool keep_low = axis.low && range.low == *axis.low, keep_high = axis.high && range.high == *axis.high;
  return {keep_low ? range.low : rounded.low, keep_high ? range.high : rounded.high};
}

Frame make_frame(const FrameRoom& room, const Axis& x, const Axis& y) {
  Box plot = room.outer;
  if (!axis_title(y).empty()) plot.top += title_height;
  plot.top += 6;  // half a tick label
  plot.height = room.outer.bottom() - plot.top - tick_height - (axis_title(x).empty() ? 0 : title_height);
  const int most_y = ticks_in(plot.height, 34);
  const Scale y_scale{.kind = y.scale, .range = axis_range(y, room.y, most_y), .from = plot.height, .to = 0};
  const std::vector<Tick> y_ticks = ticks(y_scale.range, y.scale, most_y);
  plot.left = room.outer.left + std::ceil(widest(y_ticks)) + 7;
  plot.width = room.outer.right() - room.right - plot.left;
  const Scale x_scale{.kind = x.scale, .range = axis_range(x, room.x, 0), .from = 0, .to = plot.width};
  return {.plot = plot,
          .x = x_scale,
          .y = y_scale,
          .x_ticks = fitting_ticks(x_scale, ticks_in(plot.width, 55)),
          .y_ticks = y_ticks};
}

void draw_frame(Canvas& canvas, const Frame& frame, const Axis& x, const Axis& y) {
  const Box& plot = frame.plot;
  const std::string y_title = axis_title(y), x_title = axis_title(x);
  const double left_of_labels = plot.left - 7 - widest(frame.y_ticks);
  canvas.text({left_of_labels, plot.top - 11}, elided(y_title, label_size, plot.right() - left_of_labels),
              {.style = "soft", .size = label_size});
  for (const Tick& tick : frame.y_ticks) {
    const double at = plot.top + frame.y(tick.value);
    if (tick.label.empty()) continue;
    canvas.line({plot.left, at}, {plot.right(), at}, tick.value == 0 ? "thin axis" : "thin grid");
    canvas.text({plot.left - 6, at + 4}, tick.label,
                {.style = "soft", .anchor = Anchor::end, .size = tick_size});
  }
  canvas.line({plot.left, plot.bottom()}, {plot.right(), plot.bottom()}, "thin axis");
  for (const Tick& tick : frame.x_ticks) {
    const double at = plot.left + frame.x(tick.value);
    canvas.line({at, plot.bottom()}, {at, plot.bottom() + (tick.label.empty() ? 2.5 : 4)}, "thin axis");
    const double half = text_width(tick.label, tick_size) / 2;
    const double edge = canvas.size().width - 4;
    const bool at_edge = at + half > edge;
    canvas.text({at_edge ? edge : at, plot.bottom() + 15}, tick.label,
                {.style = "soft", .anchor = at_edge ? Anchor::end : Anchor::middle, .size = tick_size});
  }
  canvas.text({plot.left + plot.width / 2, plot.bottom() + tick_height + 13},
              elided(x_title, label_size, plot.width),
              {.style = "soft", .anchor = Anchor::middle, .size = label_size});
}

}  // namespace jme::report
