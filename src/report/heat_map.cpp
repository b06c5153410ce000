#include "report/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "report/canvas.hpp"
#include "report/number_text.hpp"
#include "report/panel.hpp"
#include "report/theme.hpp"
#include "report/ticks.hpp"
#include "report/unicode.hpp"

namespace jme::report {

namespace {

constexpr double largest_cell = 68, smallest_cell = 9;
constexpr double largest_text = 12, smallest_text = 8;
constexpr double most_row_name = 84, most_column_name = 68;
constexpr double slant = -60, slant_height = 0.87, slant_width = 0.5;
constexpr double bar_height = 34;

void check(const HeatMap& map) {
  const std::size_t cells = map.rows.size() * map.columns.size();
  const auto fits = [&](std::size_t size) { return size == 0 || size == cells; };
  if (cells == 0 || map.values.size() != cells || !fits(map.cells.size()) || !fits(map.tips.size()) ||
      !fits(map.plain.size())) {
    throw InvalidParameter("heat map", "rows, columns and one value per cell must be given");
  }
  if (map.colours == HeatColours::diverging && map.scale == AxisScale::logarithmic) {
    throw InvalidParameter("heat map", "diverging colours have zero in their middle and need a linear scale");
  }
  if (!(map.width >= 160)) throw InvalidParameter("width", map.width, "at least 160");
}

/// From values to steps of the palette.
class Levels {
 public:
  explicit Levels(const HeatMap& map)
      : diverging_(map.colours == HeatColours::diverging), scale_(map.scale), range_(range_of(map)) {}

  [[nodiscard]] std::size_t count() const { return diverging_ ? diverging_levels : sequential_levels; }
  [[nodiscard]] const Range& range() const { return range_; }
  [[nodiscard]] std::size_t level(double value) const {
    const double part =
        scale_ == AxisScale::logarithmic
            ? std::log(std::max(value, range_.low) / range_.low) / std::log(range_.high / range_.low)
            : (value - range_.low) / (range_.high - range_.low);
    return static_cast<std::size_t>(
        std::lround(std::clamp(part, 0.0, 1.0) * static_cast<double>(count() - 1)));
  }
  [[nodiscard]] std::string cell_style(std::size_t level) const {
    return fmt::format("{}{}", diverging_ ? 'd' : 'q', level);
  }
  [[nodiscard]] std::string text_style(std::size_t level) const {
    return fmt::format("{}{}", diverging_ ? 'e' : 'r', level);
  }

 private:
  [[nodiscard]] static Range range_of(const HeatMap& map) {
    double low = INFINITY, high = -INFINITY;
    for (const double v : map.values) {
      if (!std::isfinite(v) || (map.scale == AxisScale::logarithmic && v <= 0)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
    if (map.colours == HeatColours::diverging) {
      double limit = map.high.value_or(std::max(std::abs(low), std::abs(high)));
      if (!(std::isfinite(limit) && limit > 0)) limit = 1;
      return {-limit, limit};
    }
    return drawable({map.low.value_or(low), map.high.value_or(high)}, map.scale);
  }
  bool diverging_;
  AxisScale scale_;
  Range range_;
};

/// Places of everything.
struct Layout {
  double left, top;  ///< corner of the first cell
  double cell_width, cell_height;
  double text_size = 0;  ///< 0: no numbers
  double turn = 0;       ///< of the columns' names
  Size size;
};

double widest(const std::vector<std::string>& words, double size) {
  double width = 0;
  for (const std::string& word : words) width = std::max(width, text_width(word, size));
  return width;
}

double cell_name_size(double cell) {
  return std::clamp(cell, smallest_text, largest_text - 1);
}

Layout layout_of(const HeatMap& map, const std::vector<std::string>& cells, double above) {
  Layout layout{};
  const auto columns = static_cast<double>(map.columns.size()), rows = static_cast<double>(map.rows.size());
  layout.left = margin + std::min(most_row_name, widest(map.rows, largest_text - 1)) + 6;
  const double room = map.width - layout.left - margin;
  layout.cell_width = std::clamp(room / columns, smallest_cell, largest_cell);
  const double cell_text = widest(cells, 1);
  const bool many_rows = map.rows.size() > 24;
  if (map.with_numbers && cell_text > 0 && !many_rows) {
    const double size = std::min(largest_text, (layout.cell_width - 4) / cell_text);
    if (size >= smallest_text) layout.text_size = size;
  }
  layout.cell_height = layout.text_size > 0 ? std::clamp(layout.cell_width * 0.62, 22.0, 34.0)
                                            : std::min(layout.cell_width, many_rows ? 13.0 : 34.0);
  const double longest = std::min(most_column_name, widest(map.columns, cell_name_size(layout.cell_width)));
  double right = margin;
  layout.top = above + 16;
  if (longest > layout.cell_width - 3) {
    layout.turn = layout.cell_width < 22 ? -90 : slant;
    const double height = layout.turn == -90 ? longest : longest * slant_height + 6;
    layout.top = above + height + 8;
    if (layout.turn == slant) right = std::max(right, longest * slant_width - layout.cell_width / 2 + 8);
  }
  // Slanted names need room to the right, so the cells become narrower.
  const double needed = layout.left + columns * layout.cell_width + right;
  if (needed > map.width && layout.cell_width > smallest_cell) {
    layout.cell_width = std::max(smallest_cell, (map.width - layout.left - right) / columns);
    if (layout.text_size > 0) {
      const double size = std::min(largest_text, (layout.cell_width - 4) / cell_text);
      layout.text_size = size >= smallest_text ? size : 0;
    }
  }
  layout.size = {std::max(map.width, layout.left + columns * layout.cell_width + right),
                 layout.top + rows * layout.cell_height + bar_height + margin};
  return layout;
}

void draw_names(Canvas& canvas, const HeatMap& map, const Layout& layout) {
  const double column_size = cell_name_size(layout.cell_width);
  const double row_size = cell_name_size(layout.cell_height);
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    const double x = layout.left + (static_cast<double>(j) + 0.5) * layout.cell_width;
    const std::string name = elided(map.columns[j], column_size, most_column_name);
    if (layout.turn == 0) {
      canvas.text({x, layout.top - 6}, name, {.anchor = Anchor::middle, .size = column_size});
    } else {
      const double shift = layout.turn == -90 ? column_size * 0.35 : 2;
      canvas.text({x + shift, layout.top - 5}, name, {.size = column_size, .turn = layout.turn});
    }
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double y = layout.top + (static_cast<double>(i) + 0.5) * layout.cell_height + row_size * 0.35;
    canvas.text({layout.left - 6, y}, elided(map.rows[i], row_size, most_row_name),
                {.anchor = Anchor::end, .size = row_size});
  }
}

void draw_cells(Canvas& canvas, const HeatMap& map, const std::vector<std::string>& cells,
                const Layout& layout, const Levels& levels) {
  const double gap = layout.cell_width > 14 ? 1.5 : 0.5;
  std::map<std::size_t, std::string> paths;  // cells without a tip, by level
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    if (!std::isfinite(map.values[k])) continue;
    const std::size_t row = k / map.columns.size(), column = k % map.columns.size();
    const Box box{layout.left + static_cast<double>(column) * layout.cell_width,
                  layout.top + static_cast<double>(row) * layout.cell_height, layout.cell_width - gap,
                  layout.cell_height - gap};
    const bool plain = !map.plain.empty() && map.plain[k];
    const std::size_t level = levels.level(map.values[k]);
    if (!map.tips.empty()) {
      canvas.rectangle_with_tip(box, plain ? "paper" : levels.cell_style(level), map.tips[k]);
    } else if (!plain) {
      const Point corners[] = {
          {box.left, box.top}, {box.right(), box.top}, {box.right(), box.bottom()}, {box.left, box.bottom()}};
      paths[level] += path_data(corners) + "z";
    }
  }
  for (const auto& [level, data] : paths) canvas.path(data, levels.cell_style(level));
  if (layout.text_size == 0) return;
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    if (!std::isfinite(map.values[k])) continue;
    const std::size_t row = k / map.columns.size(), column = k % map.columns.size();
    const Point centre{
        layout.left + (static_cast<double>(column) + 0.5) * layout.cell_width - gap / 2,
        layout.top + (static_cast<double>(row) + 0.5) * layout.cell_height + layout.text_size * 0.32};
    const bool plain = !map.plain.empty() && map.plain[k];
    canvas.text(centre, cells[k],
                {.style = plain ? "soft" : levels.text_style(levels.level(map.values[k])),
                 .anchor = Anchor::middle,
                 .size = layout.text_size});
  }
}

void draw_colour_bar(Canvas& canvas, const HeatMap& map, const Layout& layout, const Levels& levels) {
  const double top = layout.size.height - margin - bar_height + 10;
  const double width = std::min(140.0, 0.45 * map.width);
  const double step = width / static_cast<double>(levels.count());
  for (std::size_t i = 0; i < levels.count(); ++i) {
    canvas.rectangle({margin + static_cast<double>(i) * step, top, step + 0.3, 8}, levels.cell_style(i));
  }
  const TextOptions small{.style = "soft", .size = 10.5};
  canvas.text({margin, top + 20}, number_text(levels.range().low, 2), small);
  canvas.text({margin + width, top + 20}, number_text(levels.range().high, 2),
              {.style = "soft", .anchor = Anchor::end, .size = 10.5});
  if (map.colours == HeatColours::diverging) {
    canvas.text({margin + width / 2, top + 20}, "0",
                {.style = "soft", .anchor = Anchor::middle, .size = 10.5});
  }
  canvas.text({margin + width + 12, top + 9},
              elided(map.value_label, 11, map.width - width - 12 - 2 * margin),
              {.style = "soft", .size = 11});
}

}  // namespace

Drawing draw(const HeatMap& map) {
  check(map);
  std::vector<std::string> cells = map.cells;
  if (cells.empty()) {
    for (const double v : map.values) cells.push_back(number_text(v, 2));
  }
  const Heading heading(map.title, map.width - 2 * margin);
  const Layout layout = layout_of(map, cells, margin + heading.height() + (map.title.empty() ? 0 : 6));
  const Levels levels(map);
  Canvas canvas(layout.size);
  heading.draw(canvas, {margin, margin});
  draw_names(canvas, map, layout);
  draw_cells(canvas, map, cells, layout, levels);
  draw_colour_bar(canvas, map, layout, levels);
  return std::move(canvas).finish(map.title, map.description);
}

}  // namespace jme::report
