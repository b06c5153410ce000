#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/columns/missing.hpp>

namespace jme {
namespace {

constexpr auto fill = OnMissing::fill;

// The values in the unit box; 7 for a mean and 8 for the model.
std::vector<double> filled(const std::string& rules, const ColumnBounds& bounds) {
  const MissingCells cells = MissingRules::parse(rules).of({"a", "b", "c"}, bounds);
  std::vector<double> row;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto from = cells.from(i);
    row.push_back(from == MissingCells::From::value ? cells.value(i)
                                                    : (from == MissingCells::From::mean ? 7 : 8));
  }
  return row;
}

TEST(MissingRules, FillWithCentreMeanOrAValueInTheUnitBox) {
  const ColumnBounds bounds = ColumnBounds::parse("a=0:10,b=-1:1,c=100:300", {"a", "b", "c"});
  EXPECT_EQ(filled("centre", bounds), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(filled("center", bounds), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(filled("mean", bounds), (std::vector<double>{7, 7, 7}));
  EXPECT_EQ(filled("model,b=1", bounds), (std::vector<double>{8, 1, 8}));
  EXPECT_EQ(filled("mean,c=150", bounds), (std::vector<double>{7, 7, -0.5}));
  EXPECT_EQ(filled("a=10,centre,c=100", bounds), (std::vector<double>{1, 0, -1}));
  EXPECT_EQ(filled("centre,b=3", ColumnBounds::none(3)), (std::vector<double>{0, 3, 0}));
}

TEST(MissingRules, SayWhichColumnsAreFilled) {
  const auto rules = [](const std::string& text) {
    return MissingRules::parse(text).of({"a", "b"}, ColumnBounds::none(2)).rules();
  };
  EXPECT_EQ(rules("centre"), (std::vector{fill, fill}));
  EXPECT_EQ(rules("b=1"), (std::vector{OnMissing::bad_row, fill}));
  EXPECT_EQ(rules("fail,b=1"), (std::vector{OnMissing::fail, fill}));
  EXPECT_EQ(MissingCells(2).rules(), (std::vector{OnMissing::bad_row, OnMissing::bad_row}));
  const auto uses_mean = [](const std::string& text) {
    return MissingRules::parse(text).of({"a"}, ColumnBounds::none(1)).uses(MissingCells::From::mean);
  };
  EXPECT_TRUE(uses_mean("mean"));
  EXPECT_FALSE(uses_mean("mean,a=1"));
  EXPECT_FALSE(uses_mean("centre"));
  EXPECT_FALSE(uses_mean("model"));
}

TEST(MissingRules, NamesMayHaveCommasAndEqualsSignsInQuotes) {
  const std::vector<std::string> columns{"a,b", "c=d,mean", "e"};
  const MissingCells cells =
      MissingRules::parse("\"a,b\"=0.5,mean,\"c=d,mean\"=0.25").of(columns, ColumnBounds::none(3));
  EXPECT_EQ(cells.value(0), 0.5);
  EXPECT_EQ(cells.value(1), 0.25);
  EXPECT_EQ(cells.from(2), MissingCells::From::mean);
}

TEST(MissingRules, AreRefusedInWords) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      const std::vector<std::string> columns{"a", "b"};
      static_cast<void>(MissingRules::parse(text).of(columns, ColumnBounds::parse("a=0:1,b=0:1", columns)));
    } catch (const InvalidParameter& error) {
      return error.what();
    }
    return "no complaint";
  };
  EXPECT_EQ(complaint("median"),
            "missing = median: must be centre, mean, model, observed, fail or COLUMN=VALUE");
  EXPECT_EQ(complaint(""), "missing = : must be centre, mean, model, observed, fail or COLUMN=VALUE");
  EXPECT_EQ(complaint("mean,centre"), "missing: says twice what columns not named become");
  EXPECT_EQ(complaint("=1"), "missing: '=1' names no column");
  EXPECT_EQ(complaint("\"a=1"), "missing = \"a=1: must be COLUMN=VALUE, with the quotes of a column closed");
  EXPECT_EQ(complaint("a=x"), "missing: the value of a must be a finite number");
  EXPECT_EQ(complaint("a=nan"), "missing: the value of a must be a finite number");
  EXPECT_EQ(complaint("a=0,a=1"), "missing: column a is filled twice");
  EXPECT_EQ(complaint("z=0"), "missing: there is no column z among those taken: a, b");
  EXPECT_EQ(complaint("a=1.1"), "missing: the value of a must lie inside its bounds");
  EXPECT_EQ(complaint("a=1,b=0"), "no complaint");
}

}  // namespace
}  // namespace jme
