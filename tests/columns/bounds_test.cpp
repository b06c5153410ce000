#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/columns/bounds.hpp>

namespace jme {
namespace {

using ::testing::HasSubstr;

std::string complaint(std::string_view text, const std::vector<std::string>& columns) {
  try {
    (void)ColumnBounds::parse(text, columns);
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "no complaint";
}

std::string complaint(const std::vector<std::string>& columns, const std::vector<double>& low,
                      const std::vector<double>& high) {
  try {
    (void)ColumnBounds::of(columns, low, high);
  } catch (const InvalidParameter& error) {
    EXPECT_EQ(error.field(), "bounds");
    return error.what();
  }
  return "no complaint";
}

TEST(ColumnBounds, OfArraysAreThoseOfTheirText) {
  const std::vector<std::string> columns{"temp", "co"};
  const std::vector<double> low{-20.1, 1.0 / 3}, high{45, 1e20};
  const auto bounds = ColumnBounds::of(columns, low, high);
  EXPECT_EQ(bounds.text(), "temp=-20.1:45,co=0.3333333333333333:1e+20");
  const auto read = ColumnBounds::parse(bounds.text(), columns);
  EXPECT_EQ(read.text(), bounds.text());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.centre()[i], bounds.centre()[i]);
    EXPECT_EQ(read.half_width()[i], bounds.half_width()[i]);
  }
  std::vector<double> row{100, -5};
  bounds.to_unit(row);
  EXPECT_EQ(row, (std::vector<double>{1, -1}));
  EXPECT_EQ(ColumnBounds::none(2).text(), "");
}

TEST(ColumnBounds, OfArraysAreRefusedAsTheirTextWouldBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = 1 / 0.0;
  EXPECT_EQ(complaint({"a", "b"}, {0, 0}, {1, nan}), "bounds: LOW and HIGH of b must be finite numbers");
  EXPECT_EQ(complaint({"a"}, {-infinity}, {1}), "bounds: LOW and HIGH of a must be finite numbers");
  EXPECT_EQ(complaint({"a"}, {1}, {1}), "bounds: a needs LOW < HIGH");
  EXPECT_EQ(complaint({"a"}, {0}, {1e-320}), "bounds: the range of a is too narrow");
  EXPECT_EQ(complaint({"a"}, {0}, {1e141}), "bounds: column a must lie between -1e140 and 1e140");
  EXPECT_EQ(complaint({"a", "a"}, {0, 0}, {1, 1}), "bounds: column a is bounded twice");
  EXPECT_EQ(complaint({"a", "b"}, {0}, {1, 1}), "bounds: need one low and one high for each of 2 columns");
  EXPECT_EQ(complaint({""}, {0}, {1}), "bounds: a column has no name");
}

TEST(ColumnBounds, MapEachRangeToTheUnitInterval) {
  const auto bounds = ColumnBounds::parse("co=0:10000,temp=-20:45", {"temp", "co"});
  EXPECT_FALSE(bounds.is_none());
  EXPECT_EQ(std::vector(bounds.centre().begin(), bounds.centre().end()), (std::vector<double>{12.5, 5000}));
  EXPECT_EQ(std::vector(bounds.half_width().begin(), bounds.half_width().end()),
            (std::vector<double>{32.5, 5000}));
  std::vector<double> low = {-20, 0}, middle = {12.5, 5000}, high = {45, 10000}, outside = {-1e300, 1e300};
  for (auto* row : {&low, &middle, &high, &outside}) bounds.to_unit(*row);
  EXPECT_EQ(low, (std::vector<double>{-1, -1}));
  EXPECT_EQ(middle, (std::vector<double>{0, 0}));
  EXPECT_EQ(high, (std::vector<double>{1, 1}));
  EXPECT_EQ(outside, (std::vector<double>{-1, 1}));
}

TEST(ColumnBounds, NeverLeaveTheUnitIntervalWhateverTheRounding) {
  std::mt19937_64 random(7);
  const auto number = [&] {
    return std::ldexp(static_cast<double>(random()) - 9.2e18, static_cast<int>(random() % 40) - 80);
  };
  for (int i = 0; i < 10'000; ++i) {
    const double a = number();
    const double b = i % 2 == 0 ? number() : std::nextafter(a, 1e300);  // also the narrowest range there is
    char text[100];
    std::snprintf(text, sizeof text, "x=%.17g:%.17g", std::min(a, b), std::max(a, b));
    const auto bounds = ColumnBounds::parse(text, {"x"});
    for (double x : {a, b, number(), 1e308, -1e308, 0.0}) {
      bounds.to_unit({&x, 1});
      ASSERT_LE(std::abs(x), 1.0) << text;
    }
  }
  const auto widest = ColumnBounds::parse("x=-1e140:1e140", {"x"});
  double x = 0.5e140;
  widest.to_unit({&x, 1});
  EXPECT_DOUBLE_EQ(x, 0.5);
}

TEST(ColumnBounds, NoneChangesNothing) {
  const auto none = ColumnBounds::none(2);
  EXPECT_TRUE(none.is_none());
  std::vector<double> row = {1e300, -5};
  none.to_unit(row);
  EXPECT_EQ(row, (std::vector<double>{1e300, -5}));
  EXPECT_EQ(none.centre().size(), 2u);
  EXPECT_EQ(none.half_width()[1], 1.0);
}

TEST(ColumnBounds, NamesMayHoldDotsBlanksAndColons) {
  const std::string text = "PM2.5=0:500, wind speed = 0 : 12.5 ,a:b=-1:+1";
  EXPECT_EQ(bounded_columns(text), (std::vector<std::string>{"PM2.5", "wind speed", "a:b"}));
  EXPECT_EQ(ColumnBounds::parse(text, {"PM2.5", "wind speed", "a:b"}).half_width()[1], 6.25);
}

TEST(ColumnBounds, NamesWithCommasOrEqualsSignsComeBackFromTheirText) {
  const std::vector<std::string> names = {"a,b", "c=d", "\"e\"", "f\"g", "h:i,=", "plain"};
  const std::vector<double> low(names.size(), -1), high(names.size(), 3);
  const std::string text = ColumnBounds::of(names, low, high).text();
  EXPECT_EQ(text, "\"a,b\"=-1:3,\"c=d\"=-1:3,\"\"\"e\"\"\"=-1:3,f\"g=-1:3,\"h:i,=\"=-1:3,plain=-1:3");
  EXPECT_EQ(bounded_columns(text), names);
  EXPECT_EQ(ColumnBounds::parse(text, names).text(), text);
  EXPECT_THAT(complaint("\"a=0:1", {"a"}), HasSubstr("is written in double quotes"));
  EXPECT_THAT(complaint("\"a\"b=0:1", {"a"}), HasSubstr("is not NAME=LOW:HIGH"));
}

TEST(ColumnBounds, EveryColumnIsBoundedExactlyOnce) {
  EXPECT_EQ(complaint("a=0:1", {"a", "b"}), "bounds: column b has no bounds: every column needs them");
  EXPECT_EQ(complaint("a=0:1,b=0:1,a=0:2", {"a", "b"}), "bounds: column a is bounded twice");
  EXPECT_EQ(complaint("a=0:1,c=0:1", {"a", "b"}), "bounds: there is no column c among those taken: a, b");
}

TEST(ColumnBounds, LowIsBelowHighAndBothAreFinite) {
  EXPECT_EQ(complaint("a=1:1", {"a"}), "bounds: a needs LOW < HIGH");
  EXPECT_EQ(complaint("a=2:1", {"a"}), "bounds: a needs LOW < HIGH");
  for (const auto* text : {"a=nan:1", "a=0:inf", "a=0:1e999", "a=:1", "a=0:", "a=x:1", "a=0:1:2", "a=0x0:1"})
    EXPECT_EQ(complaint(text, {"a"}), "bounds: LOW and HIGH of a must be finite numbers") << text;
  EXPECT_EQ(complaint("a=0:5e-324", {"a"}), "bounds: the range of a is too narrow");
  for (const auto* text : {"", "a", "a=1", "a:0:1", "a=b=0:1", "a=0:1,", ",a=0:1"})
    EXPECT_THAT(complaint(text, {"a"}), HasSubstr("is not NAME=LOW:HIGH")) << text;
  EXPECT_THAT(complaint("=0:1", {"a"}), HasSubstr("names no column"));
  EXPECT_THROW((void)bounded_columns("a=0"), InvalidParameter);
}

TEST(ColumnBounds, AreForRowsOfTheirWidth) {
  std::vector<double> row(3);
  EXPECT_THROW(ColumnBounds::parse("a=0:1", {"a"}).to_unit(row), InvalidParameter);
}

}  // namespace
}  // namespace jme
