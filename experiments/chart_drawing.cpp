#include "experiments/chart_drawing.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <jme/report/line_chart.hpp>

namespace jme::experiments {
namespace {

constexpr std::string_view suffixes[] = {", simulated", ", paper"};

struct Style {
  std::size_t colour;
  report::Stroke stroke = report::Stroke::solid;
};

// JME blue, dashed where it is a variant of another blue line; with our shape, or in the box, purple; PP
// orange, debiased green.
const std::map<std::string_view, Style>& method_styles() {
  using enum report::Stroke;
  static const std::map<std::string_view, Style> styles{{"JME", {0}},
                                                        {"JME symmetric", {0, dashed}},
                                                        {"JME debiased", {0, dashed}},
                                                        {"λ-JME", {0}},
                                                        {"JME our shape", {3}},
                                                        {"JME, ball", {0}},
                                                        {"JME, box", {3}},
                                                        {"ball", {0}},
                                                        {"box", {3}},
                                                        {"ball, our shape", {0, dashed}},
                                                        {"box, our shape", {3, dashed}},
                                                        {"PP", {1}},
                                                        {"PP debiased", {2}},
                                                        {"IME", {1}},
                                                        {"CS", {2}},
                                                        {"both together", {0}},
                                                        {"identity", {5}},
                                                        {"sqrt", {1}},
                                                        {"banded:16", {2}},
                                                        {"banded-inverse:16", {3}},
                                                        {"blt:4", {4}},
                                                        {"scaled-blt:4", {0}},
                                                        {"certified bound", {5, dashed}},
                                                        {"JME as printed", {0}},
                                                        {"JME, squares per example", {3}},
                                                        {"joint clipping", {4}}};
  return styles;
}

/// The curve that a series of points or a reference belongs to.
std::string_view curve_name(const Series& series) {
  std::string_view name = series.name;
  for (const std::string_view suffix : suffixes) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

report::Series drawn(const Series& series, std::size_t place) {
  report::Series result{
      .name = series.name, .x = series.x, .y = series.y, .low = series.low, .high = series.high};
  const auto style = method_styles().find(curve_name(series));
  result.colour = style == method_styles().end() ? place : style->second.colour;
  if (style != method_styles().end()) result.stroke = style->second.stroke;
  if (series.drawn == Drawn::reference) {
    result.name.clear();  // its curve is named
    result.stroke = report::Stroke::dashed;
  }
  if (series.drawn == Drawn::points) {
    result.name.clear();  // its curve is named
    result.stroke = report::Stroke::none;
    result.marker = report::Marker::dot;
    result.spread = report::Spread::bars;
    // Two standard errors on either side: about 95% of all intervals hold the true value.
    for (std::size_t i = 0; i < series.std_error.size(); ++i) {
      result.low.push_back(series.y[i] - 2 * series.std_error[i]);
      result.high.push_back(series.y[i] + 2 * series.std_error[i]);
    }
  }
  return result;
}

report::Axis drawn(const Axis& axis) {
  return {.label = axis.label,
          .scale = axis.logarithmic ? report::AxisScale::logarithmic : report::AxisScale::linear};
}

std::string description(const Chart& chart) {
  std::string text = chart.y.label + " against " + chart.x.label + ":";
  for (const Series& series : chart.series) {
    if (series.drawn == Drawn::line) text += (text.back() == ':' ? " " : ", ") + series.name;
  }
  return text + ".";
}

}  // namespace

report::Drawing drawing_of(const Chart& chart) {
  report::LineChart result{.title = chart.title,
                           .description = description(chart),
                           .x = drawn(chart.x),
                           .y = drawn(chart.y),
                           .size = {.width = 364, .height = 285}};  // fits a phone of 360 pixels
  std::size_t place = 0;
  for (const Series& series : chart.series) result.series.push_back(drawn(series, place++));
  for (const Mark& mark : chart.marks) {
    result.references.push_back(
        {.direction = report::ReferenceLine::Direction::vertical, .at = mark.x, .label = mark.label});
  }
  return draw(result);
}

}  // namespace jme::experiments
