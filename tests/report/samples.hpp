#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <jme/report/line_chart.hpp>

#include "report/bar_chart.hpp"
#include "report/heat_map.hpp"

namespace jme::report {

/// One chart of every kind, with `words` wherever a text goes.
struct Samples {
  explicit Samples(const std::string& words) : words_(words) {}

  [[nodiscard]] LineChart lines() const {
    Series curve{.name = words_}, points{.name = words_};
    for (int i = 1; i <= 40; ++i) {
      const double y = 5 + std::sin(i * 0.3);
      curve.x.push_back(i);
      curve.y.push_back(y);
      curve.low.push_back(y - 1);
      curve.high.push_back(y + 1);
    }
    points.x = {3, 20, 38};
    points.y = {5, 6, 7};
    points.low = {4, 5, 6};
    points.high = {6, 7, 8};
    points.spread = Spread::bars;
    points.stroke = Stroke::none;
    points.marker = Marker::diamond;
    return {.title = words_,
            .description = words_,
            .x = {.label = words_, .unit = words_, .scale = AxisScale::logarithmic},
            .y = {.label = words_, .unit = words_},
            .series = {curve, points},
            .references = {{.at = 6, .label = words_},
                           {.direction = ReferenceLine::Direction::vertical, .at = 10, .label = words_}}};
  }
  [[nodiscard]] SmallMultiples multiples() const {
    return {.title = words_, .description = words_, .panels = {lines(), lines(), lines()}};
  }
  [[nodiscard]] HeatMap heat(std::size_t columns = 4) const {
    HeatMap map{.title = words_, .description = words_, .value_label = words_};
    map.rows.assign(3, words_);
    map.columns.assign(columns, words_);
    for (std::size_t k = 0; k < 3 * columns; ++k) {
      map.values.push_back(std::sin(static_cast<double>(k)));
      map.tips.push_back(words_);
      map.plain.push_back(k % 5 == 0);
    }
    return map;
  }
  [[nodiscard]] BarChart bars() const {
    return {.title = words_,
            .description = words_,
            .categories = {words_, words_, words_},
            .bars = {{.name = words_, .values = {3, -1, 2}, .low = {2, -2, 1}, .high = {4, 0, 3}},
                     {.name = words_, .values = {1, 2, 3}}},
            .value = {.label = words_, .unit = words_}};
  }
  [[nodiscard]] std::vector<Drawing> drawings() const {
    return {draw(lines()), draw(multiples()), draw(heat()), draw(heat(40)), draw(bars())};
  }

 private:
  std::string words_;
};

}  // namespace jme::report
