#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <jme/report/line_chart.hpp>

#include "report/canvas.hpp"
#include "report/ticks.hpp"

namespace jme::report {

inline constexpr double margin = 4;      ///< left free around a drawing
inline constexpr double name_size = 12;  ///< of a series' name

/// Throws InvalidParameter where a series cannot be drawn.
void check(const LineChart& chart);

/// The finite values of all series along each axis, bands included.
struct DataRanges {
  Range x, y;
  void include(const DataRanges& other);
};
[[nodiscard]] DataRanges data_ranges(const LineChart& chart);

/// Lines of a title, and the height they take.
class Heading {
 public:
  Heading(const std::string& title, double width);
  [[nodiscard]] double height() const { return static_cast<double>(lines_.size()) * line_height; }
  void draw(Canvas& canvas, Point corner) const;

 private:
  static constexpr double line_height = 17;
  std::vector<std::string> lines_;
};

/// Named series in rows: swatch and name.
class Legend {
 public:
  Legend(std::span<const Series> series, double width);
  [[nodiscard]] double height() const;
  void draw(Canvas& canvas, Point corner) const;

 private:
  struct Entry {
    std::size_t index;
    std::string name;
    Point at;
  };
  std::span<const Series> series_;
  std::vector<Entry> entries_;
};

/// A chart without its heading: frame, data, and names beside the curves where there is room, else above.
void draw_panel(Canvas& canvas, const Box& outer, const LineChart& chart, const DataRanges& ranges);

}  // namespace jme::report
