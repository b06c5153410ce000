#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/report/axis.hpp>
#include <jme/report/drawing.hpp>

namespace jme::report {

/// One bar per category; intervals are drawn as error bars.
struct Bars {
  std::string name{};  ///< needed where a category has several bars
  std::vector<double> values{};
  std::vector<double> low{}, high{};  ///< both empty, or one interval per value
  std::optional<std::size_t> colour{};
};

/// Horizontal bars, so that names have room and a phone shows them all. Numbers stand behind the bars.
struct BarChart {
  std::string title{};
  std::string description{};
  std::vector<std::string> categories{};
  std::vector<Bars> bars{};
  Axis value{.with_zero = true};
  bool with_numbers = true;
  double width = 340;
};
/// Throws InvalidParameter where sizes do not fit each other.
[[nodiscard]] Drawing draw(const BarChart& chart);

}  // namespace jme::report
