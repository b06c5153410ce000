#include "report/series_paths.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/theme.hpp"

namespace jme::report {

namespace {

struct Column {
  double x, low, high;
};

/// Splits where `is_gap` holds for a point.
template <class T, class IsGap>
std::vector<std::vector<T>> split(const std::vector<T>& points, IsGap is_gap) {
  std::vector<std::vector<T>> stretches(1);
  for (const T& point : points) {
    if (!is_gap(point)) {
      stretches.back().push_back(point);
    } else if (!stretches.back().empty()) {
      stretches.emplace_back();
    }
  }
  if (stretches.back().empty()) stretches.pop_back();
  return stretches;
}

/// Calls `take(begin, end)` for every run of consecutive points in one pixel's width.
template <class T, class Take>
void each_pixel(const std::vector<T>& points, Take take) {
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    const double pixel = std::floor(points[begin].x);
    for (end = begin + 1; end < points.size() && std::floor(points[end].x) == pixel;) ++end;
    take(begin, end);
  }
}

std::vector<Point> thinned(const std::vector<Point>& points) {
  std::vector<Point> kept;
  each_pixel(points, [&](std::size_t begin, std::size_t end) {
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (points[i].y < points[low].y) low = i;
      if (points[i].y > points[high].y) high = i;
    }
    std::size_t wanted[] = {begin, std::min(low, high), std::max(low, high), end - 1};
    std::size_t last = points.size();
    for (const std::size_t i : wanted) {
      if (i != last) kept.push_back(points[i]);
      last = i;
    }
  });
  return kept;
}

std::vector<Point> outline(const std::vector<Column>& columns) {
  std::vector<Column> kept;
  each_pixel(columns, [&](std::size_t begin, std::size_t end) {
    Column all = columns[begin];
    for (std::size_t i = begin; i < end; ++i) {
      all.low = std::min(all.low, columns[i].low);
      all.high = std::max(all.high, columns[i].high);
    }
    kept.push_back(all);
    if (end == columns.size() && end - begin > 1) kept.push_back({columns[end - 1].x, all.low, all.high});
  });
  std::vector<Point> points;
  points.reserve(2 * kept.size());
  for (const Column& column : kept) points.push_back({column.x, column.high});
  for (auto column = kept.rbegin(); column != kept.rend(); ++column)
    points.push_back({column->x, column->low});
  return points;
}

}  // namespace

std::vector<std::vector<Point>> curve_stretches(const Series& series, const Scale& x, const Scale& y) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < series.x.size(); ++i) points.push_back({x(series.x[i]), y(series.y[i])});
  const auto is_gap = [](const Point& p) { return !std::isfinite(p.x) || !std::isfinite(p.y); };
  std::vector<std::vector<Point>> stretches = split(points, is_gap);
  for (auto& stretch : stretches) stretch = thinned(stretch);
  return stretches;
}

std::vector<std::vector<Point>> band_outlines(const Series& series, const Scale& x, const Scale& y) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < series.low.size(); ++i) {
    // On a logarithmic axis a band may reach down to zero and below: to the frame and beyond.
    const bool below = y.kind == AxisScale::logarithmic && series.low[i] <= 0 && std::isfinite(series.low[i]);
    const double low = below ? y.from + (y.from - y.to) : y(series.low[i]);
    columns.push_back({x(series.x[i]), low, y(series.high[i])});
  }
  const auto is_gap = [](const Column& c) {
    return !std::isfinite(c.x) || !std::isfinite(c.low) || !std::isfinite(c.high);
  };
  for (Column& column : columns) {
    if (column.low > column.high) std::swap(column.low, column.high);  // pixels grow downwards
  }
  std::vector<std::vector<Point>> outlines;
  for (const auto& stretch : split(columns, is_gap)) outlines.push_back(outline(stretch));
  return outlines;
}

std::string marker_path(Marker marker, Point at, double radius) {
  const double r = radius;
  const auto c = [](double v) { return coordinate(v); };
  switch (marker) {
    case Marker::none:
      break;
    case Marker::dot:
      return fmt::format("M{} {}a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0z", c(at.x - r), c(at.y), c(r), c(r),
                         c(2 * r), c(r), c(r), c(-2 * r));
    case Marker::square:
      return fmt::format("M{} {}h{}v{}h{}z", c(at.x - 0.9 * r), c(at.y - 0.9 * r), c(1.8 * r), c(1.8 * r),
                         c(-1.8 * r));
    case Marker::triangle:
      return fmt::format("M{} {}l{} {}h{}z", c(at.x), c(at.y - 1.2 * r), c(1.2 * r), c(2.1 * r), c(-2.4 * r));
    case Marker::diamond:
      return fmt::format("M{} {}l{} {}l{} {}l{} {}z", c(at.x), c(at.y - 1.3 * r), c(1.3 * r), c(1.3 * r),
                         c(-1.3 * r), c(1.3 * r), c(-1.3 * r), c(-1.3 * r));
  }
  return "";
}

SeriesStyle::SeriesStyle(const Series& series, std::size_t index) {
  const std::size_t place = series.colour.value_or(index);
  const std::size_t colour = place % series_colours;
  static constexpr const char* dashes[] = {"", " dash", " dots"};
  std::size_t dash = place / series_colours % 3;
  if (series.stroke == Stroke::solid) dash = 0;
  if (series.stroke == Stroke::dashed) dash = 1;
  if (series.stroke == Stroke::dotted) dash = 2;
  has_line = series.stroke != Stroke::none;
  line = fmt::format("line s{}{}", colour, dashes[dash]);
  fill = fmt::format("f{}", colour);
  band = fmt::format("band f{}", colour);
  label = fmt::format("t{}", colour);
  leader = fmt::format("thin s{}", colour);
}

}  // namespace jme::report
