#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/report/line_chart.hpp>

#include "report/frame.hpp"
#include "report/panel.hpp"

namespace jme::report {

namespace {

/// All panels on one axis: the range that holds the data of each.
void share(std::vector<LineChart>& panels, bool x, bool y) {
  DataRanges all = data_ranges(panels.front());
  for (const LineChart& panel : panels) all.include(data_ranges(panel));
  for (LineChart& panel : panels) {
    if (x) {
      const Range range = axis_range(panel.x, all.x, 0);
      panel.x.low = range.low;
      panel.x.high = range.high;
    }
    if (y) {
      const Range range = axis_range(panel.y, all.y, 5);
      panel.y.low = range.low;
      panel.y.high = range.high;
    }
  }
}

}  // namespace

Drawing draw(const LineChart& chart) {
  check(chart);
  Canvas canvas(chart.size);
  const Heading heading(chart.title, chart.size.width - 2 * margin);
  heading.draw(canvas, {margin, margin});
  const double top = margin + heading.height() + (chart.title.empty() ? 0 : 4);
  draw_panel(canvas, {margin, top, chart.size.width - 2 * margin, chart.size.height - top - margin}, chart,
             data_ranges(chart));
  return std::move(canvas).finish(chart.title, chart.description);
}

Drawing draw(const SmallMultiples& charts) {
  if (charts.panels.empty()) throw InvalidParameter("panels", "at least one chart must be given");
  if (charts.columns == 0) throw InvalidParameter("columns", 0, "at least 1");
  std::vector<LineChart> panels = charts.panels;
  for (LineChart& panel : panels) {
    panel.size = charts.panel;
    panel.names = Names::hidden;
    check(panel);
  }
  share(panels, charts.same_x, charts.same_y);

  const std::size_t columns = std::min(charts.columns, panels.size());
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  constexpr double between = 18;
  const double width = static_cast<double>(columns) * (charts.panel.width + between) - between + 2 * margin;
  const Heading heading(charts.title, width - 2 * margin);
  const Legend legend(charts.panels.front().series, width - 2 * margin);
  const double top = margin + heading.height() + 4 + legend.height() + 4;
  Canvas canvas(
      {width, top + static_cast<double>(rows) * (charts.panel.height + between) - between + margin});
  heading.draw(canvas, {margin, margin});
  legend.draw(canvas, {margin, margin + heading.height() + 4});
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    Box box{margin + static_cast<double>(column) * (charts.panel.width + between),
            top + static_cast<double>(row) * (charts.panel.height + between), charts.panel.width,
            charts.panel.height};
    const Heading name(panels[i].title, box.width);
    name.draw(canvas, {box.left, box.top});
    box.top += name.height() + 2;
    box.height -= name.height() + 2;
    draw_panel(canvas, box, panels[i], data_ranges(panels[i]));
  }
  return std::move(canvas).finish(charts.title, charts.description);
}

}  // namespace jme::report
