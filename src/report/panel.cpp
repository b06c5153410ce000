#include "report/panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>

#include "report/frame.hpp"
#include "report/label_places.hpp"
#include "report/series_paths.hpp"
#include "report/unicode.hpp"

namespace jme::report {

namespace {

constexpr double name_spacing = 14;
constexpr double name_gap = 14;  // between a curve and its name: room for a line from one to the other
constexpr double marker_radius = 3.2;
constexpr double cap = 3;  // half the width of an error bar's ends

void include(Range& range, double value, AxisScale scale) {
  if (!std::isfinite(value) || (scale == AxisScale::logarithmic && value <= 0)) return;
  range = {std::min(range.low, value), std::max(range.high, value)};
}

/// Where a series ends: its last finite point inside the plot.
std::optional<Point> last_point(const Series& series, const Frame& frame) {
  for (std::size_t i = series.x.size(); i-- > 0;) {
    const Point p{frame.x(series.x[i]), frame.y(series.y[i])};
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
    if (p.x < -0.5 || p.x > frame.plot.width + 0.5) continue;
    return Point{p.x, std::clamp(p.y, 0.0, frame.plot.height)};
  }
  return std::nullopt;
}

bool leaves_frame(const LineChart& chart, const Frame& frame) {
  const auto outside = [](const std::vector<double>& values, const Scale& scale) {
    return std::any_of(values.begin(), values.end(),
                       [&](double v) { return std::isfinite(v) && !scale.holds(v); });
  };
  return std::any_of(chart.series.begin(), chart.series.end(), [&](const Series& s) {
    return outside(s.x, frame.x) || outside(s.y, frame.y) || outside(s.low, frame.y) ||
           outside(s.high, frame.y);
  });
}

void draw_bars(Canvas& canvas, const Series& series, const Frame& frame, const std::string& style) {
  for (std::size_t i = 0; i < series.low.size(); ++i) {
    const double x = frame.x(series.x[i]), high = frame.y(series.high[i]);
    double low = frame.y(series.low[i]);
    if (frame.y.kind == AxisScale::logarithmic && series.low[i] <= 0) low = frame.plot.height;
    if (!std::isfinite(x) || !std::isfinite(low) || !std::isfinite(high)) continue;
    canvas.line({x, low}, {x, high}, style);
    canvas.line({x - cap, low}, {x + cap, low}, style);
    canvas.line({x - cap, high}, {x + cap, high}, style);
  }
}

void draw_markers(Canvas& canvas, const Series& series, const Frame& frame, Marker marker,
                  const std::string& style) {
  std::string data;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const Point p{frame.x(series.x[i]), frame.y(series.y[i])};
    if (std::isfinite(p.x) && std::isfinite(p.y)) data += marker_path(marker, p, marker_radius);
  }
  if (!data.empty()) canvas.path(data, style);
}

/// A single release has no curve: it is a point with its bar.
bool is_single_point(const Series& series) {
  return std::count_if(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); }) == 1;
}

void draw_series(Canvas& canvas, const LineChart& chart, const Frame& frame) {
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.low.empty() || series.spread != Spread::band || is_single_point(series)) continue;
    std::string data;
    for (const auto& outline : band_outlines(series, frame.x, frame.y)) data += path_data(outline) + "z";
    if (!data.empty()) canvas.path(data, SeriesStyle(series, i).band);
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    const SeriesStyle style(series, i);
    const bool single = is_single_point(series);
    if (style.has_line && !single) {
      std::string data;
      for (const auto& stretch : curve_stretches(series, frame.x, frame.y)) data += path_data(stretch);
      if (!data.empty()) canvas.path(data, style.line);
    }
    if (!series.low.empty() && (series.spread == Spread::bars || single)) {
      draw_bars(canvas, series, frame, style.line);
    }
    const Marker marker = single && series.marker == Marker::none ? Marker::dot : series.marker;
    if (marker != Marker::none) draw_markers(canvas, series, frame, marker, style.fill);
  }
}

void draw_references(Canvas& canvas, const LineChart& chart, const Frame& frame) {
  const Box& plot = frame.plot;
  for (const ReferenceLine& line : chart.references) {
    const bool horizontal = line.direction == ReferenceLine::Direction::horizontal;
    const Scale& scale = horizontal ? frame.y : frame.x;
    if (!scale.holds(line.at)) continue;
    const double at = scale(line.at);
    if (horizontal) {
      canvas.line({plot.left, plot.top + at}, {plot.right(), plot.top + at}, "thin rule dash");
      canvas.text({plot.right() - 3, plot.top + at - 4}, elided(line.label, label_size, plot.width - 8),
                  {.style = "soft halo", .anchor = Anchor::end, .size = label_size});
    } else {
      canvas.line({plot.left + at, plot.top}, {plot.left + at, plot.bottom()}, "thin rule dash");
      const bool left = at > plot.width / 2;
      canvas.text({plot.left + at + (left ? -4 : 4), plot.top + 11},
                  elided(line.label, label_size, (left ? at : plot.width - at) - 6),
                  {.style = "soft halo", .anchor = left ? Anchor::end : Anchor::start, .size = label_size});
    }
  }
}

/// Names at the ends of their curves; moved apart where they would touch, with a thin line back.
void draw_names(Canvas& canvas, const LineChart& chart, const Frame& frame) {
  const Box& plot = frame.plot;
  std::vector<std::size_t> beside;
  std::vector<double> wanted;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::optional<Point> end = last_point(chart.series[i], frame);
    if (chart.series[i].name.empty() || !end) continue;
    if (end->x > plot.width - 14) {
      beside.push_back(i);
      wanted.push_back(end->y);
      continue;
    }
    // Ends inside the plot: the name stands above the last point.
    const double width = text_width(chart.series[i].name, name_size);
    const double x = std::clamp(end->x - width / 2, 0.0, std::max(0.0, plot.width - width));
    canvas.text({plot.left + x, plot.top + std::max(11.0, end->y - 8)}, chart.series[i].name,
                {.style = SeriesStyle(chart.series[i], i).label + " halo", .size = name_size});
  }
  const std::vector<double> places = label_places(wanted, name_spacing, {2, plot.height - 2});
  for (std::size_t k = 0; k < beside.size(); ++k) {
    const Series& series = chart.series[beside[k]];
    const SeriesStyle style(series, beside[k]);
    const double x = plot.right() + name_gap;
    if (std::abs(places[k] - wanted[k]) > 3) {
      canvas.line({plot.right() + 2, plot.top + wanted[k]}, {x - 3, plot.top + places[k]}, style.leader);
    }
    canvas.text({x, plot.top + places[k] + 4}, elided(series.name, name_size, canvas.size().width - x),
                {.style = style.label, .size = name_size});
  }
}

double widest_name(const LineChart& chart) {
  double width = 0;
  for (const Series& series : chart.series) width = std::max(width, text_width(series.name, name_size));
  return width;
}

std::size_t named(const LineChart& chart) {
  return static_cast<std::size_t>(std::count_if(chart.series.begin(), chart.series.end(),
                                                [](const Series& s) { return !s.name.empty(); }));
}

}  // namespace

void check(const LineChart& chart) {
  if (!(chart.size.width >= 160 && chart.size.height >= 120)) {
    throw InvalidParameter("size", "a chart needs at least 160 x 120 pixels");
  }
  for (const Series& series : chart.series) {
    const bool intervals_fit =
        (series.low.empty() && series.high.empty()) ||
        (series.low.size() == series.x.size() && series.high.size() == series.x.size());
    if (series.y.size() != series.x.size() || !intervals_fit) {
      throw InvalidParameter("series", "x and y, and low and high where given, must be equally many");
    }
  }
}

void DataRanges::include(const DataRanges& other) {
  x = {std::min(x.low, other.x.low), std::max(x.high, other.x.high)};
  y = {std::min(y.low, other.y.low), std::max(y.high, other.y.high)};
}

DataRanges data_ranges(const LineChart& chart) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  DataRanges ranges{.x = {infinity, -infinity}, .y = {infinity, -infinity}};
  for (const Series& series : chart.series) {
    for (const double v : series.x) include(ranges.x, v, chart.x.scale);
    for (const std::vector<double>* values : {&series.y, &series.low, &series.high}) {
      for (const double v : *values) include(ranges.y, v, chart.y.scale);
    }
  }
  return ranges;
}

void draw_panel(Canvas& canvas, const Box& outer, const LineChart& chart, const DataRanges& ranges) {
  FrameRoom room{.outer = outer, .right = 14, .x = ranges.x, .y = ranges.y};
  const bool crowded = static_cast<double>(named(chart)) * name_spacing > outer.height - 60 ||
                       widest_name(chart) > 0.42 * outer.width;
  const bool beside = chart.names == Names::beside && !crowded && named(chart) > 0;
  const bool above = named(chart) > 0 && chart.names != Names::hidden && !beside;
  if (beside) room.right = name_gap + widest_name(chart);
  const Legend legend(above ? std::span<const Series>(chart.series) : std::span<const Series>(), outer.width);
  if (above) {
    legend.draw(canvas, {outer.left, outer.top});
    room.outer.top += legend.height();
    room.outer.height -= legend.height();
  }
  const Frame frame = make_frame(room, chart.x, chart.y);
  draw_frame(canvas, frame, chart.x, chart.y);
  draw_references(canvas, chart, frame);
  if (leaves_frame(chart, frame)) {
    canvas.enter_clipped(frame.plot);
  } else {
    canvas.enter({frame.plot.left, frame.plot.top});
  }
  draw_series(canvas, chart, frame);
  canvas.leave();
  if (beside) draw_names(canvas, chart, frame);
}

}  // namespace jme::report
