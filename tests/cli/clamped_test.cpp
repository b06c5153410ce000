// What a user of jme run is told about values outside of the bounds.
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test::clamped_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// 1000 body temperatures in degrees Celsius, 36.6 to 37.5, `outside` of which are 44.
std::string temperatures(int outside = 0) {
  std::string text = "temp,pulse\n";
  for (int i = 0; i < 1000; ++i) {
    text += (i < outside ? "44" : std::to_string(36.6 + 0.1 * (i % 10)).substr(0, 4)) + ",70\n";
  }
  return text;
}

const std::string celsius = "run --bounds temp=34:43,pulse=30:220 --insecure-test-seed 7 --sigma 1 ";
const std::string fahrenheit = "run --bounds temp=86:113,pulse=30:220 --insecure-test-seed 7 --sigma 1 ";
const std::string thousand = "--rows 1000 --every 1000 ";
const std::string doubts = "the mean of temp lies within its noise of a bound: check bounds and units";

TEST(ClampedCells, AreToldWithAWarningAboveOnePerCent) {
  const CommandResult all = jme(fahrenheit + thousand, {.input = temperatures()});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.err, HasSubstr("were clamped to them (temp 1000 below); keep these numbers to yourself"));
  EXPECT_THAT(all.err,
              HasSubstr("jme: warning: 100% of the cells of temp were below its lower bound 86 and were "
                        "clamped to it: check the bounds and the units"));
  EXPECT_THAT(all.out, Not(HasSubstr("its lower bound")));
  const CommandResult some = jme(celsius + thousand, {.input = temperatures(11)});
  EXPECT_THAT(some.err, HasSubstr("1.1% of the cells of temp were above its upper bound 43"));
  const CommandResult few = jme(celsius + thousand, {.input = temperatures(10)});
  EXPECT_THAT(few.err, AllOf(HasSubstr("(temp 10 above)"), Not(HasSubstr("warning: 1%"))));
  const CommandResult none = jme(celsius + thousand, {.input = temperatures()});
  EXPECT_THAT(none.err, Not(HasSubstr("clamped")));
}

// Released numbers and their page are those of values at the bound.
TEST(ClampedCells, AreInNothingThatIsReleased) {
  const TemporaryFolder folder;
  const auto released = [&](const std::string& input) {
    const std::string report = (folder.path() / "report.html").string();
    const CommandResult result = jme(celsius + thousand + "--report " + report, {.input = input});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out + read_text(report);
  };
  std::string at_the_bound = temperatures(500);
  for (std::size_t at = 0; (at = at_the_bound.find("44,", at)) != std::string::npos;)
    at_the_bound.replace(at, 2, "43");
  EXPECT_EQ(released(temperatures(500)), released(at_the_bound));
}

class ClampedCellsOf : public InDirectory {};

TEST_F(ClampedCellsOf, SlotsOfTimeAndOfPeopleAreCountedToo) {
  std::string text = "when,who,temp,pulse\n";
  for (int i = 0; i < 1000; ++i) {
    text += std::to_string(1767225600 + 60 * (i % 1440)) + ",p" + std::to_string(i % 3) + ",37,70\n";
  }
  const std::string day = fahrenheit + "--time when --every 1h --from 2026-01-01 --until 2026-01-02 ";
  EXPECT_THAT(jme(day + file("day.csv", text)).err, HasSubstr("(temp 1000 below)"));
  // Not those of the rows that count: of 1000 records there are then 6.
  EXPECT_THAT(jme(day + "--person who --rows-per-person 2 " + path("day.csv")).err,
              HasSubstr("(temp 1000 below)"));
  EXPECT_THAT(
      jme(fahrenheit + thousand + "--columns temp,pulse --person who --rows-per-person 2 " + path("day.csv"))
          .err,
      HasSubstr("(temp 1000 below)"));
}

TEST_F(ClampedCellsOf, RowsWithMissingCellsAreSharesOfTheCellsThatAreThere) {
  std::string text = "temp,pulse\n";
  for (int i = 0; i < 1000; ++i) text += std::string(i < 980 ? "" : "37") + ",70\n";
  const CommandResult result = jme(fahrenheit + thousand + "--missing observed " + file("holes.csv", text));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("(temp 20 below)"), HasSubstr("100% of the cells of temp")));
}

TEST_F(ClampedCellsOf, AMeanWithinItsNoiseOfABoundIsDoubtedFromReleasedNumbersAlone) {
  const auto page = [&] { return read_text(path("report.html")); };
  const std::string report = "--report " + path("report.html");
  const CommandResult all = jme(fahrenheit + thousand + report, {.input = temperatures()});
  EXPECT_THAT(all.err, HasSubstr("jme: note: " + doubts));
  EXPECT_THAT(page(), HasSubstr("The mean of temp lies within its noise of a bound"));
  const CommandResult counted = jme(fahrenheit + thousand + "--private-count", {.input = temperatures()});
  EXPECT_THAT(counted.err, HasSubstr("jme: note: " + doubts));
  const CommandResult none = jme(celsius + thousand + report, {.input = temperatures()});
  EXPECT_THAT(none.err, Not(HasSubstr("within its noise")));
  EXPECT_THAT(page(), Not(HasSubstr("within its noise")));
  // Where the noise is as large as the range, a mean that is near a bound says nothing about the data.
  const CommandResult noisy = jme(fahrenheit + "--rows 1 --every 1", {.input = "temp,pulse\n86,30\n"});
  EXPECT_THAT(noisy.err, Not(HasSubstr("within")));
}

}  // namespace
}  // namespace jme::test::clamped_tests
