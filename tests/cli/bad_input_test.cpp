#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class BadInput : public InDirectory {};

const std::string hundred_rows =
    "run --epsilon 1 --delta 1e-6 --norm-bound 1 --rows 100 --insecure-test-seed 5 ";
const std::string good = "a,b\n0.1,0.2\n0.3,0.4\n";

/// The third row is bad: the two releases before it stay the same, byte for byte, nothing follows, and the
/// place is named.
void expect_stops_at(const std::string& row, const std::string& place) {
  const CommandResult before = jme(hundred_rows, {.input = good});
  const CommandResult result = jme(hundred_rows, {.input = good + row + "0.5,0.6\n"});
  EXPECT_EQ(result.code, 3) << row;
  EXPECT_EQ(result.out, before.out) << row;
  EXPECT_THAT(result.err, HasSubstr("jme: error: ")) << row;
  EXPECT_THAT(result.err, HasSubstr(place)) << row;
}

TEST_F(BadInput, ABadRowKeepsWhatWasReleasedAndReleasesNothingMore) {
  expect_stops_at("nan,0.1\n", ":4");
  expect_stops_at("0.1,inf\n", ":4");
  expect_stops_at("0.1,-Infinity\n", ":4");
  expect_stops_at("1e999,0.1\n", ":4");
  expect_stops_at("0.1,text\n", "b");
  expect_stops_at("0.1,\n", ":4");
  expect_stops_at(",0.1\n", ":4");
  expect_stops_at("0.1\n", ":4");
  expect_stops_at("0.1,0.2,0.3\n", ":4");
  expect_stops_at("0.1,0x10\n", ":4");
  expect_stops_at("0.1,1 2\n", ":4");
  expect_stops_at("\"0.1,0.2\n", ":4");
}

TEST_F(BadInput, ErrorsNameTheFileAndNeverShowAValue) {
  const std::string data = file("people.csv", "a,b\n0.1,0.2\n0.1,secret7\n");
  const CommandResult result = jme(hundred_rows + data);
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("people.csv:3"));
  EXPECT_THAT(result.err, HasSubstr("column b"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 2) << "the seed's warning and the error";
  EXPECT_THAT(result.err, Not(HasSubstr("secret7")));
  EXPECT_THAT(result.out, Not(HasSubstr("secret7")));
}

TEST_F(BadInput, AFlagThatThereIsNotIsNamedWithTheNearestOne) {
  const auto said = [](const std::string& words) {
    const CommandResult result = jme(words, {.input = good});
    EXPECT_EQ(result.code, 2) << words;
    return result.err;
  };
  EXPECT_THAT(said("run - --epsilo 1"),
              HasSubstr("unknown flag --epsilo: the nearest known one is --epsilon"));
  EXPECT_THAT(said("run - --on_bad_row=zero --x 1"),
              HasSubstr("--on_bad_row: the nearest known one is --on-bad-row"));
  EXPECT_THAT(said("plan --every 2 --every 3"), HasSubstr("--every: given more than once"));
  EXPECT_THAT(said("run a.csv b.csv"), HasSubstr("unexpected word b.csv"));
}

TEST_F(BadInput, ABadRowInsideABlockReleasesNoPartOfIt) {
  const CommandResult result = jme(hundred_rows + "--every 2", {.input = good + "0.5,0.6\nbad,row\n"});
  EXPECT_EQ(result.code, 3);
  ASSERT_EQ(result.releases().size(), 1U);
  EXPECT_EQ(result.releases()[0]["t"], 2);
}

TEST_F(BadInput, QuotedFieldsSubnormalsAndHugeNumbersAreNumbers) {
  const CommandResult result =
      jme(hundred_rows, {.input = "\"a\",\"b\"\n\"0.1\",0.2\n4.9e-324,1e308\n-1e308,1e-310\n"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.releases().size(), 3U);
}

TEST_F(BadInput, NoRowsIsADataError) {
  expect_refused(jme(hundred_rows + path("missing.csv")), 3, "missing.csv");
  expect_refused(jme(hundred_rows + file("empty.csv", "")), 3, "empty.csv");
  expect_refused(jme(hundred_rows + file("header.csv", "a,b\n")), 3, "header.csv");
  expect_refused(jme(hundred_rows, {.input = ""}), 3, "");
  expect_refused(jme(hundred_rows + file("bom.csv", "\xef\xbb\xbf")), 3, "bom.csv");
  expect_refused(jme(hundred_rows + "--columns a " + file("empty.ndjson", "")), 3, "empty.ndjson");
  expect_refused(jme(hundred_rows + file("empty.npy", "")), 3, "empty.npy");
  expect_refused(jme(hundred_rows + "/"), 3, "/");
}

TEST_F(BadInput, NoRowsLeavesTheOutputFileAlone) {
  const std::string target = file("out.ndjson", "yesterday's releases\n");
  EXPECT_EQ(jme(hundred_rows + "--output " + target, {.input = "a,b\n"}).code, 3);
  EXPECT_EQ(read_text(target), "yesterday's releases\n");
}

TEST_F(BadInput, GarbageIsADataErrorWithOneLine) {
  std::string garbage;
  for (int i = 0; i < 5000; ++i) garbage += static_cast<char>(i * 37 % 251);
  expect_refused(jme(hundred_rows, {.input = garbage}), 3, "");
  expect_refused(jme(hundred_rows + file("garbage.npy", garbage)), 3, "garbage.npy");
  expect_refused(jme(hundred_rows + "--columns a " + file("garbage.ndjson", garbage)), 3, "garbage.ndjson");
  expect_refused(jme(hundred_rows + file("garbage.csv.gz", garbage)), 3, "garbage.csv.gz");
  expect_refused(jme(hundred_rows + file("truncated.npy", "\x93NUMPY\x01")), 3, "truncated.npy");
}

TEST_F(BadInput, ATenMegabyteLineIsHandled) {
  const std::string line(10'000'000, '7');
  const CommandResult result = jme(hundred_rows, {.input = "a,b\n0.1,0.2\n" + line + ",1\n"});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.releases().size(), 1U);
  EXPECT_LT(result.err.size(), 1000U);
}

TEST_F(BadInput, ZeroForABadRowGoesOn) {
  const CommandResult result =
      jme(hundred_rows + "--on-bad-row zero", {.input = good + "bad,row\n0.5\n0.5,0.6\n"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.releases().size(), 5U);
  EXPECT_THAT(result.err, HasSubstr("2 bad row"));
  EXPECT_THAT(result.printed_releases(), Not(HasSubstr("bad")));
}

TEST_F(BadInput, ControlCharactersNeverReachTheTerminal) {
  const CommandResult result =
      jme(std::vector<std::string>{"calibrate", "--epsilon", "\x1b[31m\n1", "--delta", "1e-6"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

TEST_F(BadInput, WhatWouldReadTheInputIsNamedAsAFlag) {
  const auto refused = [&](const std::string& name, const std::string& content, const std::string& advice) {
    const std::string path = file(name, content);
    expect_refused(jme(hundred_rows + path), 3, advice);
  };
  refused("a.csv", "{\"a\":1}\n", "looks like JSON: use --format ndjson");
  refused("b.csv", "\x1f\x8b\x08\n1\n", "looks like gzip data: use --compression gzip");
  refused("b.gz", "a\n1\n", "if it is plain, use --compression none");
  refused("c.xz", "a\n1\n2\n3\n4\n5\n6\n7\n", "if it is plain, use --compression none");
  refused("no-header.csv", "0.5,0.7\n3,4\n", "if the file has no header, use --no-header");
  refused("e.csv", "a,\"b\nc\"\n1,2\n", "names with line breaks need --records quoted");
  refused("f.csv", "a\n\"1\n\"\n",
          ": --records quoted reads cells with line breaks (--on-bad-row zero counts");
}

TEST_F(BadInput, InputFlagsAreChecked) {
  expect_refused(jme(hundred_rows + "--format xml", {.input = good}), 2, "format = xml: must be");
  expect_refused(jme(hundred_rows + "--on-bad-row skip", {.input = good}), 2, "on-bad-row = skip: must be");
  expect_refused(jme(hundred_rows + "--delimiter ab", {.input = good}), 2, "delimiter = ab: must be");
  expect_refused(
      jme("run --epsilon 1 --delta 1e-6 --norm-bound 1 --rows 3 --insecure-test-seed x", {.input = good}), 2,
      "insecure-test-seed = x: must be");
}

TEST_F(BadInput, ParametersOutOfRangeLeaveStandardOutputEmpty) {
  const auto refused = [](const std::string& parameters, const std::string& text) {
    expect_refused(jme("run " + parameters, {.input = good}), 2, text);
  };
  refused("--epsilon 0 --delta 1e-6 --norm-bound 1 --rows 3", "epsilon = 0");
  refused("--epsilon nan --delta 1e-6 --norm-bound 1 --rows 3", "epsilon = nan");
  refused("--epsilon -2 --delta 1e-6 --norm-bound 1 --rows 3", "epsilon = -2");
  refused("--epsilon 1 --delta 1 --norm-bound 1 --rows 3", "delta = 1: must be in (0, 1)");
  refused("--epsilon 1 --delta 2 --norm-bound 1 --rows 3", "delta = 2");
  refused("--sigma -1 --norm-bound 1 --rows 3", "sigma = -1");
  refused("--sigma nan --norm-bound 1 --rows 3", "sigma = nan");
  refused("--sigma 1 --norm-bound 0 --rows 3", "norm-bound = 0");
  refused("--sigma 1 --norm-bound -1 --rows 3", "norm-bound = -1");
  refused("--sigma 1 --norm-bound inf --rows 3", "norm-bound = inf");
  refused("--sigma 1 --norm-bound 1 --rows 0", "rows = 0");
  refused("--sigma 1 --norm-bound 1 --rows 3 --workload decay:1.5", "workload");
  refused("--sigma 1 --norm-bound 1 --rows 3 --workload window:4", "window");
  refused("--sigma 1e30 --norm-bound 1 --rows 3", "");
}

}  // namespace
}  // namespace jme::test
