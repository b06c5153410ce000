#include "report/canvas.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/report/markup.hpp>

#include "report/unicode.hpp"

namespace jme::report {

namespace {

/// Tenths of a pixel; far outside the drawing the exact place does not matter.
long long tenths(double value) {
  if (std::isnan(value)) return 0;
  return std::llround(std::clamp(value, -1e5, 1e5) * 10);
}

std::string tenths_text(long long value) {
  const long long whole = std::abs(value) / 10, part = std::abs(value) % 10;
  const char* sign = value < 0 ? "-" : "";
  if (part == 0) return fmt::format("{}{}", sign, whole);
  return whole == 0 ? fmt::format("{}.{}", sign, part) : fmt::format("{}{}.{}", sign, whole, part);
}

/// "x y", without the space where a sign already separates them.
std::string pair_text(long long x, long long y) {
  const std::string second = tenths_text(y);
  return tenths_text(x) + (second[0] == '-' ? "" : " ") + second;
}

const char* anchor_name(Anchor anchor) {
  return anchor == Anchor::middle ? "middle" : "end";
}

}  // namespace

std::string coordinate(double value) {
  return tenths_text(tenths(value));
}

std::string path_data(std::span<const Point> points) {
  std::string data;
  long long x = 0, y = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const long long next_x = tenths(points[i].x), next_y = tenths(points[i].y);
    if (i == 0) {
      data += "M" + pair_text(next_x, next_y);
    } else if (next_x == x && next_y == y) {
      continue;
    } else if (next_y == y) {
      data += "h" + tenths_text(next_x - x);
    } else if (next_x == x) {
      data += "v" + tenths_text(next_y - y);
    } else {
      data += "l" + pair_text(next_x - x, next_y - y);
    }
    x = next_x;
    y = next_y;
  }
  return data;
}

void Canvas::line(Point from, Point to, std::string_view style) {
  const Point ends[] = {from, to};
  path(path_data(ends), style);
}

void Canvas::rectangle(const Box& box, std::string_view style, double rounding) {
  body_ +=
      fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", style,
                  coordinate(box.left), coordinate(box.top), coordinate(box.width), coordinate(box.height));
  if (rounding > 0) body_ += fmt::format(" rx=\"{}\"", coordinate(rounding));
  body_ += "/>\n";
}

void Canvas::rectangle_with_tip(const Box& box, std::string_view style, std::string_view tip) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n", style,
      coordinate(box.left), coordinate(box.top), coordinate(box.width), coordinate(box.height), escaped(tip));
}

void Canvas::path(std::string_view data, std::string_view style) {
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, data);
}

void Canvas::text(Point at, std::string_view words, const TextOptions& options) {
  if (words.empty()) return;
  body_ +=
      fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\"", options.style, coordinate(at.x), coordinate(at.y));
  if (options.anchor != Anchor::start)
    body_ += fmt::format(" text-anchor=\"{}\"", anchor_name(options.anchor));
  if (options.size != 12) body_ += fmt::format(" font-size=\"{}\"", coordinate(options.size));
  if (options.turn != 0) {
    body_ += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(options.turn), coordinate(at.x),
                         coordinate(at.y));
  }
  body_ += '>' + escaped(words) + "</text>\n";
}

void Canvas::enter(Point corner) {
  body_ += fmt::format("<g transform=\"translate({} {})\">\n", coordinate(corner.x), coordinate(corner.y));
  closing_ += 'g';
}

void Canvas::enter_clipped(const Box& box) {
  // An inner svg clips without needing a name that is unique in the page.
  body_ +=
      fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"hidden\">\n",
                  coordinate(box.left), coordinate(box.top), coordinate(box.width), coordinate(box.height));
  closing_ += 's';
}

void Canvas::leave() {
  body_ += closing_.back() == 'g' ? "</g>\n" : "</svg>\n";
  closing_.pop_back();
}

Drawing Canvas::finish(std::string title, std::string description) && {
  return {size_, std::move(title), std::move(description), std::move(body_)};
}

}  // namespace jme::report
