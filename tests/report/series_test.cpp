#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/report/series_sketch.hpp>

#include "report/series_paths.hpp"

namespace jme::report {
namespace {

const Scale x_scale{.kind = AxisScale::linear, .range = {0, 1}, .from = 0, .to = 300};
const Scale y_scale{.kind = AxisScale::linear, .range = {0, 1}, .from = 200, .to = 0};

Series random_walk(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Series series;
  double y = 0.5;
  for (std::size_t i = 0; i < n; ++i) {
    y += 0.02 * normal(random);
    series.x.push_back(static_cast<double>(i) / static_cast<double>(n - 1));
    series.y.push_back(y);
    series.low.push_back(y - 0.1 - 0.05 * std::abs(normal(random)));
    series.high.push_back(y + 0.1 + 0.05 * std::abs(normal(random)));
  }
  return series;
}

/// Lowest and highest y in each pixel's width.
using Extremes = std::map<int, std::pair<double, double>>;
void note(Extremes& extremes, double x, double y) {
  const auto [at, fresh] = extremes.try_emplace(static_cast<int>(std::floor(x)), y, y);
  at->second = {std::min(at->second.first, y), std::max(at->second.second, y)};
}

TEST(CurveStretches, KeepEveryPixelsExtremesAndFewPoints) {
  const Series series = random_walk(20'000, 1);
  Extremes all, kept;
  for (std::size_t i = 0; i < series.x.size(); ++i) note(all, x_scale(series.x[i]), y_scale(series.y[i]));
  const auto stretches = curve_stretches(series, x_scale, y_scale);
  ASSERT_EQ(stretches.size(), 1U);
  for (const Point& p : stretches[0]) note(kept, p.x, p.y);
  EXPECT_EQ(kept, all);
  EXPECT_LE(stretches[0].size(), 4U * 301U);
  EXPECT_EQ(stretches[0].front().x, 0);
  EXPECT_EQ(stretches[0].back().x, 300);
}

TEST(CurveStretches, OfFewPointsAreThePointsThemselves) {
  const Series series = random_walk(100, 2);
  const auto stretches = curve_stretches(series, x_scale, y_scale);
  ASSERT_EQ(stretches.at(0).size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(stretches[0][i].y, y_scale(series.y[i]));
}

TEST(BandOutlines, CoverEveryInterval) {
  const Series series = random_walk(5'000, 3);
  const auto outlines = band_outlines(series, x_scale, y_scale);
  ASSERT_EQ(outlines.size(), 1U);
  Extremes all, kept;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    note(all, x_scale(series.x[i]), y_scale(series.low[i]));
    note(all, x_scale(series.x[i]), y_scale(series.high[i]));
  }
  for (const Point& p : outlines[0]) note(kept, p.x, p.y);
  EXPECT_EQ(kept, all);
}

TEST(PathData, AddsUpToThePointsToATenthOfAPixel) {
  const std::vector<Point> points{{0.04, 10}, {1.26, 9.94}, {1.26, 12}, {5, 12}, {5, 12}, {-3.5, 0.3}};
  EXPECT_EQ(path_data(points), "M0 10l1.3-.1v2.1h3.7l-8.5-11.7");
}

TEST(SeriesSketch, OfAShortSeriesIsTheSeries) {
  SeriesSketch sketch(64);
  for (int i = 0; i < 64; ++i) sketch.add(i, std::sin(i), 0.5);
  EXPECT_FALSE(sketch.is_thinned());
  const Series series = sketch.series();
  ASSERT_EQ(series.x.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(series.x[i], static_cast<double>(i));
    EXPECT_EQ(series.y[i], std::sin(static_cast<double>(i)));
    EXPECT_EQ(series.low[i], series.y[i] - 0.5);
    EXPECT_EQ(series.high[i], series.y[i] + 0.5);
  }
}

TEST(SeriesSketch, OfALongSeriesIsShortAndKeepsItsExtremes) {
  for (const std::size_t most : {2U, 63U, 64U, 100U}) {
    for (const std::size_t n : {65U, 1000U, 4097U, 100'000U}) {
      const Series walk = random_walk(n, 4);
      SeriesSketch sketch(most);
      for (std::size_t i = 0; i < n; ++i) sketch.add(walk.x[i], walk.y[i], 0.1);
      const Series series = sketch.series();
      EXPECT_EQ(sketch.count(), n);
      EXPECT_TRUE(sketch.is_thinned() || n <= most);
      EXPECT_LE(series.x.size(), 4 * most);
      EXPECT_GE(series.x.size(), most / 2);
      EXPECT_TRUE(std::is_sorted(series.x.begin(), series.x.end()));
      EXPECT_EQ(series.x.front(), walk.x.front());
      EXPECT_EQ(series.x.back(), walk.x.back());
      EXPECT_EQ(series.y.back(), walk.y.back());
      EXPECT_EQ(*std::max_element(series.y.begin(), series.y.end()),
                *std::max_element(walk.y.begin(), walk.y.end()));
      EXPECT_EQ(*std::min_element(series.low.begin(), series.low.end()),
                *std::min_element(walk.y.begin(), walk.y.end()) - 0.1);
    }
  }
}

TEST(SeriesSketch, LeavesOutWhatIsNoNumber) {
  SeriesSketch sketch(8);
  sketch.add(1, std::nan(""), 1);
  sketch.add(2, 1, INFINITY);
  sketch.add(3, 1, 1);
  EXPECT_EQ(sketch.series().x, std::vector<double>{3});
  EXPECT_THROW(SeriesSketch(1), InvalidParameter);
}

TEST(SeriesSketch, KeepsAGapBetweenValues) {
  for (const std::size_t most : {8U, 64U}) {
    SeriesSketch sketch(most);
    for (int i = 0; i < 100; ++i) sketch.add(i, i >= 40 && i < 60 ? NAN : 1.0, 0.1);
    const Series series = sketch.series();
    const auto gap = std::find_if(series.y.begin(), series.y.end(), [](double y) { return std::isnan(y); });
    ASSERT_NE(gap, series.y.end());
    EXPECT_EQ(std::count_if(series.y.begin(), series.y.end(), [](double y) { return std::isnan(y); }), 1);
    // No farther from its place than a bucket is wide.
    const auto at = static_cast<std::size_t>(gap - series.y.begin());
    EXPECT_NEAR(series.x[at], 60, most == 64 ? 2 : 36);
    EXPECT_TRUE(std::isnan(series.low[at]) && std::isnan(series.high[at]));
  }
}

}  // namespace
}  // namespace jme::report
