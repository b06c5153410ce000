#include <gmock/gmock.h>

#include "command.hpp"

// One person's record against everybody else's rows, through the whole command.

namespace jme::test {
namespace {

using testing::HasSubstr;

class Door : public InDirectory {};

constexpr int door_people = 2000;
const std::string hardened =
    "run --epsilon 1 --delta 1e-6 --rows 2000 --every 2000 --emit mean --on-bad-row zero "
    "--insecure-test-seed 3 ";
const std::string in_the_box = hardened + "--bounds 1=-2:2,2=-2:2 ";

std::string lines(const std::string& first, const std::string& others) {
  std::string text = first + "\n";
  for (int i = 1; i < door_people; ++i) text += others + "\n";
  return text;
}

/// The mean of `door_people` rows that are all 1, except for the first, which may be anything. With the same
/// noise it may move by as much as one row can move it: at most 4 / 2000 between the ends of the bounds.
void expect_first_row_decides_about_itself(const std::string& flags, const std::string& first,
                                           const std::string& others) {
  const CommandResult usual = jme(flags, {.input = lines(others, others)});
  ASSERT_EQ(usual.code, 0) << usual.err;
  const CommandResult result = jme(flags, {.input = lines(first, others)});
  ASSERT_EQ(result.code, 0) << first << ": " << result.err;
  ASSERT_EQ(result.releases().size(), 1U) << first;
  EXPECT_EQ(result.releases()[0]["t"], door_people) << first;
  for (const std::size_t column : {0U, 1U}) {
    EXPECT_NEAR(result.releases()[0]["mean"][column].get<double>(),
                usual.releases()[0]["mean"][column].get<double>(), 4.0 / door_people + 1e-5)
        << first;
  }
}

TEST_F(Door, TheFirstRowOfCsvWithoutAHeaderDecidesAboutItselfAlone) {
  using namespace std::string_literals;
  for (const std::string& first :
       {"1.0,1.0,0"s, "oops"s, "\"1.0,1.0"s, ""s, "1.0"s, "\x1f\x8b\x08"s, "\0"s, "[1,1]"s})
    expect_first_row_decides_about_itself(in_the_box + "--no-header", first, "1.0,1.0");
}

TEST_F(Door, TheFirstRowOfNdjsonDecidesAboutItselfAlone) {
  for (const std::string first :
       {"[1,1,0]", "{\"1\":1,\"2\":1}", "{\"a\":1}", "oops", "", "[", "[[[[", "1"}) {
    expect_first_row_decides_about_itself(in_the_box + "--format ndjson", first, "[1.0,1.0]");
    expect_first_row_decides_about_itself(hardened + "--bounds a=-2:2,b=-2:2 --format ndjson", first,
                                          "{\"a\":1,\"b\":1}");
    expect_first_row_decides_about_itself(hardened + "--dimension 2 --norm-bound 2 --format ndjson", first,
                                          "[1.0,1.0]");
  }
}

TEST_F(Door, ColumnsWithoutAPublicSourceAreRefused) {
  const std::string unnamed = "run --sigma 1 --norm-bound 1 --rows 3 ";
  expect_refused(jme(unnamed + "--no-header", {.input = "1,2\n"}), 2, "columns: must be given");
  expect_refused(jme(unnamed + "--format ndjson", {.input = "[1,2]\n"}), 2, "columns: must be given");
  expect_refused(jme(unnamed + "--no-header --columns a", {.input = "1,2\n"}), 2, "columns: must be numbers");
  EXPECT_EQ(jme(unnamed + "--no-header --dimension 2", {.input = "1,2\n"}).code, 0);
  EXPECT_EQ(jme(unnamed + "--no-header --columns 2", {.input = "1,2\n"}).code, 0);
  EXPECT_EQ(jme(unnamed + "--format ndjson --dimension 2", {.input = "[1,2]\n"}).code, 0);
}

TEST_F(Door, LineBreaksInACellMakeNoRowsAndMoveNobody) {
  const auto input = [](const std::string& note) {
    return lines("a,note", "1.0,x") + "1.0,\"" + note + "\"\n" + "-1.0,y\n";
  };
  std::string breaks;
  for (int i = 0; i < 100; ++i) breaks += "\n";
  // The writer chose quoted records: the line breaks belong to one cell, also where bad rows count as zero.
  const std::string run =
      "run --bounds a=-2:2 --sigma 0.01 --rows 3000 --every 2001 --emit mean --insecure-test-seed 3 "
      "--records quoted ";
  for (const std::string zero : {"", "--on-bad-row zero"}) {
    const CommandResult plain = jme(run + zero, {.input = input("hello")});
    const CommandResult broken = jme(run + zero, {.input = input(breaks)});
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_EQ(plain.out, broken.out);
  }
  // By default every line is a row: an open quote stops the run, and its error says what to do.
  const CommandResult result =
      jme("run --bounds a=-2:2 --sigma 1 --rows 3000 --every 2001", {.input = input(breaks)});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("stdin:2001: a quote is opened and not closed"));
  EXPECT_THAT(result.err, HasSubstr("--records quoted"));
}

TEST_F(Door, BlankNulOverlongAndUndecodableLinesAreOneRowEach) {
  using namespace std::string_literals;
  const std::string rows = "\n1,1\n1\0,1\n\xff\xfe,1\n"s + std::string((64U << 20) + 1, '1') + "\n\n1,1\n\n"s;
  const std::string run = "run --bounds a=-2:2,b=-2:2 --sigma 1 --rows 100 --on-bad-row zero ";
  const CommandResult result = jme(run, {.input = "a,b\n" + rows});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.releases().size(), 8U);
  EXPECT_THAT(result.err, HasSubstr("6 bad row(s)"));
  const CommandResult filled = jme(run + "--missing centre", {.input = "a,b\n" + rows});
  EXPECT_EQ(filled.releases().size(), 8U);
  EXPECT_THAT(filled.err, HasSubstr("3 bad row(s)"));
  EXPECT_THAT(filled.err, HasSubstr("3 row(s) had missing cells that were filled (a 3, b 3)"));
}

TEST_F(Door, FramingFlagsAreCheckedAndStated) {
  const std::string run = "run --sigma 1 --norm-bound 1 --rows 9 ";
  const std::string rows = "a,b\n0.1,0.2\n";
  expect_refused(jme(run + "--records all", {.input = rows}), 2, "records = all: must be lines or quoted");
  expect_refused(jme(run + "--compression zip", {.input = rows}), 2, "compression = zip: must be");
  expect_refused(jme(run + "--records quoted --format ndjson --columns a", {.input = "{\"a\":1}\n"}), 2,
                 "records = quoted: must be used with CSV");
  EXPECT_EQ(jme(run, {.input = rows}).lines().at(0)["configuration"]["records"], "lines");
  EXPECT_EQ(jme(run + "--records quoted", {.input = rows}).lines().at(0)["configuration"]["records"],
            "quoted");
  EXPECT_FALSE(jme(run + "--format ndjson --columns a", {.input = "{\"a\":1}\n"})
                   .lines()
                   .at(0)["configuration"]
                   .contains("records"));
}

TEST_F(Door, ADurableRunKeepsItsFraming) {
  const std::string data = file("d.csv", "a\n0.1\n0.2\n");
  const std::string run = "run " + data + " --sigma 1 --norm-bound 1 --rows 9 --state " + path("state") + " ";
  EXPECT_EQ(jme(run).code, 0);
  EXPECT_EQ(jme(run + "--records lines").code, 0);
  const CommandResult other = jme(run + "--records quoted");
  EXPECT_EQ(other.code, 5) << other.err;
  EXPECT_THAT(other.err, HasSubstr("records"));
}

}  // namespace
}  // namespace jme::test
