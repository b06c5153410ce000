#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jme/report/axis.hpp>
#include <jme/report/drawing.hpp>

namespace jme::report {

enum class HeatColours {
  diverging,  ///< blue below zero, orange above, nothing at zero
  sequential  ///< from little to much
};

/// A matrix as coloured cells, with the numbers in them where they fit.
struct HeatMap {
  std::string title{};
  std::string description{};
  std::vector<std::string> rows{}, columns{};
  std::vector<double> values{};      ///< row by row, decides the colour; not finite: no cell
  std::vector<std::string> cells{};  ///< what to write in them, row by row; empty: the values
  std::vector<std::string> tips{};   ///< shown when the pointer rests on a cell; empty: none
  std::vector<bool> plain{};         ///< cells without colour, for values that mean nothing; empty: none
  HeatColours colours = HeatColours::diverging;
  AxisScale scale = AxisScale::linear;  ///< logarithmic for sequential colours only
  std::optional<double> low{}, high{};  ///< ends of the colours; diverging: `high` is both ends' distance
  std::string value_label{};            ///< what the colour measures, beside its bar
  bool with_numbers = true;
  double width = 340;  ///< more where the cells would be too small to see
};
/// Throws InvalidParameter where sizes do not fit each other.
[[nodiscard]] Drawing draw(const HeatMap& map);

}  // namespace jme::report
