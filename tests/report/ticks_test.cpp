#include "report/ticks.hpp"

#include <cmath>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "report/label_places.hpp"

namespace jme::report {
namespace {

/// A label read back: the reverse of what number_text does.
double read_label(std::string label) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = label.find(from); at != std::string::npos; at = label.find(from)) {
      label.replace(at, from.size(), to);
    }
  };
  if (label.starts_with("10") && label.size() > 3 && static_cast<unsigned char>(label[2]) >= 0x80) {
    label = "1×" + label;
  }
  replace("×10", "e");
  replace("−", "-");
  replace("⁻", "-");
  replace(",", "");
  const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  for (int i = 0; i < 10; ++i) replace(digits[i], std::to_string(i));
  return std::stod(label);
}

std::vector<Tick> labelled(const std::vector<Tick>& all) {
  std::vector<Tick> result;
  for (const Tick& tick : all) {
    if (!tick.label.empty()) result.push_back(tick);
  }
  return result;
}

TEST(LinearTicks, AreRoundEvenInsideAndSayTheirValue) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-12, 12), part(-1, 1);
  for (int run = 0; run < 5000; ++run) {
    const double size = std::pow(10, exponent(random));
    const double low = part(random) * size;
    const double high = low + std::abs(part(random)) * size + 1e-6 * size;
    for (const int most : {2, 5, 8}) {
      const std::vector<Tick> all = ticks({low, high}, AxisScale::linear, most);
      ASSERT_GE(all.size(), 1U) << low << " " << high;
      ASSERT_LE(all.size(), static_cast<std::size_t>(most) + 1);
      std::set<std::string> labels;
      const double step = all.size() > 1 ? all[1].value - all[0].value : high - low;
      for (const Tick& tick : all) {
        EXPECT_GE(tick.value, low - 1e-3 * step);
        EXPECT_LE(tick.value, high + 1e-3 * step);
        EXPECT_TRUE(labels.insert(tick.label).second) << tick.label << " twice in " << low << " " << high;
        // Labels are exact to far less than the distance of two ticks.
        EXPECT_NEAR(read_label(tick.label), tick.value, 0.01 * step) << tick.label;
      }
    }
  }
}

TEST(LinearTicks, LookAsPeopleWouldWriteThem) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks({0, 420768}, AxisScale::linear, 5)) labels.push_back(tick.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"0", "100,000", "200,000", "300,000", "400,000"}));
  labels.clear();
  for (const Tick& tick : ticks({-0.3, 0.31}, AxisScale::linear, 4)) labels.push_back(tick.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"−0.2", "0.0", "0.2"}));
}

TEST(LogTicks, AreInsideLabelledAndTrue) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-15, 15), decades(0.05, 14);
  for (int run = 0; run < 5000; ++run) {
    const double low = std::pow(10, exponent(random)), high = low * std::pow(10, decades(random));
    const std::vector<Tick> all = ticks({low, high}, AxisScale::logarithmic, 6);
    const std::vector<Tick> named = labelled(all);
    EXPECT_GE(named.size(), 1U) << low << " " << high;
    EXPECT_LE(named.size(), 9U) << low << " " << high;
    for (const Tick& tick : all) {
      EXPECT_GE(tick.value, low * (1 - 1e-3));
      EXPECT_LE(tick.value, high * (1 + 1e-3));
    }
    for (const Tick& tick : named) EXPECT_NEAR(read_label(tick.label) / tick.value, 1, 1e-9) << tick.label;
  }
}

TEST(Ranges, BecomeDrawableWhateverTheyAre) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic}) {
    for (const Range range :
         {Range{0, 0}, Range{5, 5}, Range{-3, -3}, Range{INFINITY, -INFINITY}, Range{-1, 1}, Range{NAN, 1},
          Range{-1e308, 1e308}, Range{1e-320, 1e-320}, Range{1, 1 + 1e-15}}) {
      const Range good = drawable(range, scale);
      EXPECT_LT(good.low, good.high);
      EXPECT_TRUE(std::isfinite(good.high - good.low));
      EXPECT_TRUE(scale == AxisScale::linear || good.low > 0);
      EXPECT_FALSE(labelled(ticks(good, scale, 5)).empty()) << range.low << " " << range.high;
    }
  }
}

TEST(Ranges, AreRoundedOutwardsOnly) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(-100, 100);
  for (int run = 0; run < 2000; ++run) {
    const double low = value(random), high = low + std::abs(value(random)) + 0.01;
    const Range out = rounded_out({low, high}, AxisScale::linear, 5);
    EXPECT_LE(out.low, low + 1e-6);
    EXPECT_GE(out.high, high - 1e-6);
    EXPECT_LE(out.high - out.low, 2 * (high - low));
    const Range positive{std::exp(low / 10), std::exp(high / 10)};
    const Range log_out = rounded_out(positive, AxisScale::logarithmic, 5);
    EXPECT_LE(log_out.low, positive.low * (1 + 1e-6));
    EXPECT_GE(log_out.high, positive.high * (1 - 1e-6));
    EXPECT_GE(log_out.low * 2.51, positive.low);
    EXPECT_LE(log_out.high / 2.51, positive.high);
  }
}

double squared_moves(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

TEST(LabelPlaces, AreApartInOrderAndNoWorseThanAnyOnAGrid) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> place(0, 60);
  for (int run = 0; run < 200; ++run) {
    const std::vector<double> wanted{place(random), place(random), place(random)};
    const std::vector<double> places = label_places(wanted, 14, {0, 60});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GE(places[i], -1e-9);
      EXPECT_LE(places[i], 60 + 1e-9);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_TRUE(wanted[i] >= wanted[j] || places[j] - places[i] >= 14 - 1e-9);
      }
    }
    double best = 1e9;
    for (double a = 0; a <= 60; ++a) {
      for (double b = 0; b <= 60; ++b) {
        for (double c = 0; c <= 60; ++c) {
          const bool apart = std::abs(a - b) >= 14 && std::abs(a - c) >= 14 && std::abs(b - c) >= 14;
          if (apart) best = std::min(best, squared_moves({a, b, c}, wanted));
        }
      }
    }
    // The grid holds points beside the best one, so it may only be worse.
    EXPECT_LE(squared_moves(places, wanted), best + 1e-9);
  }
}

TEST(LabelPlaces, StayWhereTheyAreWhereThereIsRoom) {
  EXPECT_EQ(label_places({50, 10, 30}, 14, {0, 60}), (std::vector<double>{50, 10, 30}));
  EXPECT_TRUE(label_places({}, 14, {0, 60}).empty());
}

}  // namespace
}  // namespace jme::report
