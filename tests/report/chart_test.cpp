#include <cmath>
#include <functional>
#include <random>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/report/line_chart.hpp>

#include "report/bar_chart.hpp"
#include "report/heat_map.hpp"
#include "report/outline.hpp"
#include "report/samples.hpp"
#include "report/unicode.hpp"

namespace jme::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Elements with this class.
std::vector<Element> of_class(const Drawing& drawing, const std::string& wanted) {
  std::vector<Element> found;
  for (const Element& element : Outline(drawing.file()).elements()) {
    if ((" " + element.attribute("class") + " ").find(" " + wanted + " ") != std::string::npos) {
      found.push_back(element);
    }
  }
  return found;
}

std::vector<std::string> texts(const Drawing& drawing) {
  std::vector<std::string> found;
  for (const Element& element : Outline(drawing.file()).named("text")) found.push_back(element.text);
  return found;
}

LineChart simple(std::vector<double> x, std::vector<double> y) {
  return {.title = "Title", .series = {{.name = "curve", .x = std::move(x), .y = std::move(y)}}};
}

TEST(EveryDrawing, IsTheSameBytesEveryTime) {
  const auto first = Samples("word").drawings(), second = Samples("word").drawings();
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].file(), second[i].file());
    EXPECT_EQ(first[i].element("a"), second[i].element("a"));
  }
}

TEST(EveryDrawing, NamesItselfForThoseWhoCannotSeeIt) {
  for (const Drawing& drawing : Samples("word").drawings()) {
    const Outline outline(drawing.element("figure7"));
    const Element root = outline.elements().front();
    EXPECT_EQ(root.attribute("role"), "img");
    EXPECT_EQ(root.attribute("aria-labelledby"), "figure7-t figure7-d");
    EXPECT_EQ(outline.named("title").front().attribute("id"), "figure7-t");
    EXPECT_EQ(outline.named("desc").front().text, "word");
  }
}

TEST(EveryDrawing, StandsAloneAsAFile) {
  for (const Drawing& drawing : Samples("word").drawings()) {
    const std::string file = drawing.file();
    EXPECT_THAT(file, HasSubstr("xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(file, HasSubstr("prefers-color-scheme:dark"));
    EXPECT_THAT(file, Not(HasSubstr("var(")));
    EXPECT_THAT(file, Not(HasSubstr("url(")));
    EXPECT_THAT(file, Not(HasSubstr("href")));
    // Every class that is used has its rule.
    for (const Element& element : Outline(file).elements()) {
      std::istringstream names(element.attribute("class"));
      for (std::string name; names >> name;) {
        EXPECT_TRUE(name == "chart" || file.find("." + name + "{") != std::string::npos) << name;
      }
    }
  }
}

TEST(EveryDrawing, KeepsItsTextsInsideTheFrame) {
  for (const std::string& words : {std::string("w"), std::string("a name of usual length"),
                                   std::string(300, 'W'), std::string("短い名前")}) {
    for (const Drawing& drawing : Samples(words).drawings()) {
      for (const Element& element : Outline(drawing.file()).named("text")) {
        if (!element.attribute("transform").empty()) continue;
        const double size =
            element.attribute("font-size").empty() ? 12 : std::stod(element.attribute("font-size"));
        const double width = text_width(element.text, size);
        double left = std::stod(element.attribute("x"));
        if (element.attribute("text-anchor") == "middle") left -= width / 2;
        if (element.attribute("text-anchor") == "end") left -= width;
        EXPECT_GE(left, -1) << element.text << "\n" << drawing.title();
        EXPECT_LE(left + width, drawing.size().width + 1) << element.text << "\n" << drawing.title();
        EXPECT_GE(std::stod(element.attribute("y")), 5);
        EXPECT_LE(std::stod(element.attribute("y")), drawing.size().height);
      }
    }
  }
}

TEST(EveryDrawing, TakesAnyNumbers) {
  std::mt19937_64 random(5);
  const std::vector<double> odd{0,   -0.0,     1,         -1,     1e308, -1e308, 5e-324,
                                nan, INFINITY, -INFINITY, 1e-300, 1e15,  1.5};
  std::uniform_int_distribution<std::size_t> pick(0, odd.size() - 1);
  const auto some = [&](std::size_t n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(odd[pick(random)]);
    return values;
  };
  for (int run = 0; run < 300; ++run) {
    for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic}) {
      const LineChart lines{
          .x = {.scale = scale},
          .y = {.scale = scale},
          .series = {{.name = "a", .x = some(5), .y = some(5), .low = some(5), .high = some(5)}}};
      EXPECT_NO_THROW(Outline(draw(lines).file()));
      EXPECT_THAT(draw(lines).file(), Not(HasSubstr("nan")));
      const BarChart bars{.categories = {"a", "b"},
                          .bars = {{.values = some(2), .low = some(2), .high = some(2)}},
                          .value = {.scale = scale}};
      EXPECT_THAT(draw(bars).file(), Not(HasSubstr("nan")));
      const HeatMap map{.rows = {"a", "b"},
                        .columns = {"c", "d"},
                        .values = some(4),
                        .colours = HeatColours::sequential,
                        .scale = scale};
      EXPECT_THAT(draw(map).file(), Not(HasSubstr("nan")));
    }
  }
}

TEST(LineChart, DrawsACurveABandAndItsName) {
  LineChart chart = simple({0, 1, 2}, {1, 2, 3});
  chart.series[0].low = {0, 1, 2};
  chart.series[0].high = {2, 3, 4};
  const Drawing drawing = draw(chart);
  EXPECT_EQ(of_class(drawing, "s0").size(), 1U);
  EXPECT_EQ(of_class(drawing, "band").size(), 1U);
  EXPECT_THAT(texts(drawing), testing::IsSupersetOf({"Title", "curve", "0", "1", "2"}));
}

TEST(LineChart, AGapIsAGap) {
  const Drawing drawing = draw(simple({0, 1, 2, 3, 4}, {1, 2, nan, 2, 1}));
  const std::string data = of_class(drawing, "s0").front().attribute("d");
  EXPECT_EQ(std::count(data.begin(), data.end(), 'M'), 2);
}

TEST(LineChart, OneReleaseIsAPointWithABar) {
  LineChart chart = simple({1000}, {3});
  chart.series[0].low = {2};
  chart.series[0].high = {4};
  const Drawing drawing = draw(chart);
  EXPECT_EQ(of_class(drawing, "f0").size(), 1U);
  EXPECT_EQ(of_class(drawing, "band").size(), 0U);
  EXPECT_EQ(of_class(drawing, "s0").size(), 3U);  // the bar and its two ends
}

TEST(LineChart, CutsOffWhatLiesOutsideAGivenRangeAndOnlyThen) {
  LineChart chart = simple({0, 1, 2}, {1, 200, 3});
  EXPECT_EQ(Outline(draw(chart).file()).named("svg").size(), 1U);
  chart.y.high = 10;
  EXPECT_EQ(Outline(draw(chart).file()).named("svg").size(), 2U);
}

TEST(LineChart, NamesMoveAboveWhereThereIsNoRoomBeside) {
  LineChart chart;
  for (int i = 0; i < 4; ++i)
    chart.series.push_back({.name = "n" + std::to_string(i), .x = {0, 1}, .y = {0, 1.0 * i}});
  const auto first_name_x = [](const Drawing& drawing) {
    for (const Element& element : Outline(drawing.file()).named("text")) {
      if (element.text == "n0") return std::stod(element.attribute("x"));
    }
    return -1.0;
  };
  EXPECT_GT(first_name_x(draw(chart)), 250);
  chart.names = Names::above;
  EXPECT_LT(first_name_x(draw(chart)), 50);
  chart.names = Names::hidden;
  EXPECT_EQ(first_name_x(draw(chart)), -1);
  chart.names = Names::beside;
  for (int i = 4; i < 30; ++i) {
    chart.series.push_back({.name = "n" + std::to_string(i), .x = {0, 1}, .y = {0, 1.0 * i}});
  }
  EXPECT_LT(first_name_x(draw(chart)), 50);
}

TEST(LineChart, SeriesBeyondThePaletteAreDashed) {
  LineChart chart;
  for (int i = 0; i < 8; ++i) chart.series.push_back({.x = {0, 1}, .y = {0, 1.0 * i}});
  EXPECT_EQ(of_class(draw(chart), "dash").size(), 2U);
  EXPECT_EQ(of_class(draw(chart), "s0").size(), 2U);
}

TEST(LineChart, RefusesColumnsOfDifferentLength) {
  EXPECT_THROW(static_cast<void>(draw(simple({1, 2}, {1}))), InvalidParameter);
  LineChart chart = simple({1, 2}, {1, 2});
  chart.series[0].low = {1, 2};
  EXPECT_THROW(static_cast<void>(draw(chart)), InvalidParameter);
  chart = simple({1, 2}, {1, 2});
  chart.size = {50, 50};
  EXPECT_THROW(static_cast<void>(draw(chart)), InvalidParameter);
}

TEST(LineChart, WithoutAnyDataIsAnEmptyFrame) {
  EXPECT_NO_THROW(static_cast<void>(draw(LineChart{.title = "nothing"})));
  EXPECT_NO_THROW(static_cast<void>(draw(simple({}, {}))));
}

TEST(SmallMultiples, ShareTheirAxesAndNameTheirSeriesOnce) {
  SmallMultiples charts{.title = "all", .panels = {simple({0, 1}, {0, 1}), simple({0, 1}, {0, 100})}};
  std::vector<std::string> words = texts(draw(charts));
  EXPECT_EQ(std::count(words.begin(), words.end(), "curve"), 1);
  EXPECT_EQ(std::count(words.begin(), words.end(), "100"), 2);
  charts.same_y = false;
  words = texts(draw(charts));
  EXPECT_EQ(std::count(words.begin(), words.end(), "100"), 1);
  charts.panels.clear();
  EXPECT_THROW(static_cast<void>(draw(charts)), InvalidParameter);
}

TEST(HeatMap, ColoursBySignAndLeavesPlainCellsWithoutColour) {
  const HeatMap map{.rows = {"r"},
                    .columns = {"a", "b", "c", "d"},
                    .values = {-1, 0, 1, 1},
                    .plain = {false, false, false, true}};
  const Drawing drawing = draw(map);
  std::vector<std::string> cells;
  for (const char* level : {"d0", "d10", "d20"}) {
    // One in the colour bar, one in the matrix.
    EXPECT_EQ(of_class(drawing, level).size(), 2U) << level;
  }
  EXPECT_EQ(of_class(drawing, "soft").size(), 4U);  // the plain cell's number, and three beside the bar
}

TEST(HeatMap, WritesNumbersWhereTheyFit) {
  EXPECT_THAT(texts(draw(Samples("w").heat(4))), testing::Contains("0.84"));
  EXPECT_THAT(texts(draw(Samples("w").heat(40))), Not(testing::Contains("0.84")));
}

TEST(HeatMap, GrowsWithItsColumnsSoThatCellsStayVisible) {
  EXPECT_EQ(draw(Samples("w").heat(6)).size().width, 340);
  EXPECT_GE(draw(Samples("w").heat(50)).size().width, 450);
}

TEST(HeatMap, RefusesAMatrixOfAnotherSize) {
  EXPECT_THROW(static_cast<void>(draw(HeatMap{.rows = {"a"}, .columns = {"b"}, .values = {1, 2}})),
               InvalidParameter);
  EXPECT_THROW(static_cast<void>(draw(HeatMap{})), InvalidParameter);
}

TEST(BarChart, StandsOnZeroAndSaysItsNumbers) {
  const BarChart chart{.categories = {"a", "b"},
                       .bars = {{.values = {2, -1}, .low = {1, -2}, .high = {3, 0}}}};
  const Drawing drawing = draw(chart);
  EXPECT_THAT(texts(drawing), testing::IsSupersetOf({"2.0 ± 1.0", "−1.0 ± 1.0"}));
  const auto bars = of_class(drawing, "f0");
  ASSERT_EQ(bars.size(), 2U);
  const double zero = std::stod(bars[0].attribute("x"));
  EXPECT_NEAR(std::stod(bars[1].attribute("x")) + std::stod(bars[1].attribute("width")), zero, 0.11);
}

TEST(BarChart, RefusesBarsThatDoNotFitTheirCategories) {
  EXPECT_THROW(static_cast<void>(draw(BarChart{.categories = {"a"}, .bars = {{.values = {1, 2}}}})),
               InvalidParameter);
  EXPECT_THROW(static_cast<void>(draw(BarChart{})), InvalidParameter);
}

}  // namespace
}  // namespace jme::report
