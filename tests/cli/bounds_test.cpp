// jme bounds: ranges of columns that nobody knows.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class BoundsCommand : public InDirectory {};

/// temp from 10 to 30, co mostly 0, name a word.
std::string sensors(int rows) {
  std::string text = "temp,co,name\n";
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("{},{},x\n", 10 + (i * 37 % 200) / 10.0, i % 100 == 0 ? 500 : 0);
  }
  return text;
}

const std::string search_flags = "bounds - --epsilon 1 --delta 1e-6 --insecure-test-seed 1 ";

TEST_F(BoundsCommand, TellsThatABudgetIsWeakAndRefusesADeltaOfATenth) {
  const std::string search = "bounds - --insecure-test-seed 1 --columns temp --first 3000 ";
  expect_refused(jme(search + "--epsilon 1 --delta 0.1", {.input = sensors(3000)}), 2,
                 "delta = 0.1: must be below 0.1");
  const CommandResult weak = jme(search + "--epsilon 12 --delta 0.1 --allow-weak", {.input = sensors(3000)});
  EXPECT_EQ(weak.code, 0) << weak.err;
  EXPECT_THAT(weak.err, HasSubstr("note: epsilon = 12 is above 10"));
  EXPECT_THAT(weak.err, HasSubstr("note: delta = 0.1 is above 1/rows"));
}

TEST_F(BoundsCommand, WritesWhatItFoundAndWhatItSpent) {
  const std::string out = path("bounds.json");
  const CommandResult result =
      jme(search_flags + "--columns temp,co --first 3000 --output " + out, {.input = sensors(4000)});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("column"));
  EXPECT_THAT(result.out, HasSubstr("temp"));
  EXPECT_THAT(result.out, HasSubstr("epsilon = 1, delta = 1e-06"));
  const auto object = nlohmann::json::parse(read_text(out));
  const auto range = object["bounds"]["temp"];
  EXPECT_LE(range[0].get<double>(), 10);
  EXPECT_GE(range[1].get<double>(), 29.9);
  EXPECT_LE(range[1].get<double>(), 128);
  EXPECT_FALSE(object["bounds"].contains("co"));
  EXPECT_EQ(object["columns"]["co"]["result"], "looks constant");
  EXPECT_THAT(result.err, HasSubstr("warning: co: nearly all cells look like 0"));
  EXPECT_EQ(object["search"]["first"], 3000);
  EXPECT_EQ(object["search"]["epsilon"], 1);
  EXPECT_EQ(object["search"]["adjacency"], "replace-one");
  EXPECT_NEAR(object["search"]["mu"].get<double>(), 0.2367, 1e-4);
  EXPECT_THAT(object["statement"].get<std::string>(), HasSubstr("NOT PRIVATE"));
  EXPECT_EQ(jme(search_flags + "--columns temp,co --first 3000 --json", {.input = sensors(4000)}).out,
            read_text(out));
}

TEST_F(BoundsCommand, LooksAtTheFirstRecordsAlone) {
  const std::string flags = search_flags + "--columns temp --first 2000 --json";
  const CommandResult first = jme(flags, {.input = sensors(2000)});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, jme(flags, {.input = sensors(2000) + "1e9,1,x\nword,1,x\n"}).out);
}

// The file has several pieces of 1 MiB, and the search ends inside one of them.
TEST_F(BoundsCommand, FindsTheSameAsARunOfItsInputWithAnyNumberOfThreads) {
  const std::string data = file("d.csv", sensors(300'000));
  const std::string terms = " --epsilon 1 --delta 1e-6 --insecure-test-seed 1 --columns temp --first 200000 ";
  const std::string run = "run " + data + terms + "--bounds auto --rows 100000 --every 50000 --emit mean ";
  const CommandResult found = jme("bounds " + data + terms + "--json --threads 1");
  const CommandResult released = jme(run + "--threads 1");
  ASSERT_EQ(found.code + released.code, 0) << found.err << released.err;
  ASSERT_EQ(released.releases().size(), 2U);
  for (const std::string threads : {"--threads 2", "--threads 7"}) {
    EXPECT_EQ(jme("bounds " + data + terms + "--json " + threads).out, found.out);
    EXPECT_EQ(jme(run + threads).printed_releases(), released.printed_releases());
  }
}

TEST_F(BoundsCommand, HasOtherNoiseEachTime) {
  const std::string flags = "bounds - --epsilon 1 --delta 1e-6 --columns temp --first 2000 --json";
  const CommandResult one = jme(flags, {.input = sensors(2000)}),
                      other = jme(flags, {.input = sensors(2000)});
  EXPECT_NE(one.json()["columns"]["temp"]["outside"], other.json()["columns"]["temp"]["outside"]);
  EXPECT_THAT(one.json()["statement"].get<std::string>(), Not(HasSubstr("NOT PRIVATE")));
}

TEST_F(BoundsCommand, RefusesBeforeItLooks) {
  // The file does not exist: every fault of the settings is found first.
  const std::string base = "bounds nowhere.csv --epsilon 1 --delta 1e-6 ";
  expect_refused(jme(base + "--columns a --first 400"), 2, "first = 400: must be at least 455");
  expect_refused(jme(base + "--first 4000"), 2, "columns: must be given");
  expect_refused(jme(base + "--columns a"), 2, "first: must be given");
  expect_refused(jme("bounds nowhere.csv --delta 1e-6 --columns a --first 4000"), 2,
                 "epsilon: must be given");
  expect_refused(jme(base + "--columns a --first 4000"), 3, "nowhere.csv");
  expect_refused(jme("run nowhere.csv --epsilon 1 --delta 1e-6 --rows 10 --norm-bound 1 --config " +
                     file("c.json", "{\"first\": 3}")),
                 2, "first: is for a search for bounds");
}

TEST_F(BoundsCommand, SpendsNothingOnAnInputThatIsTooShortOrBad) {
  const std::string flags = search_flags + "--columns temp --first 2000";
  expect_refused(jme(flags + " --output " + path("none.json"), {.input = sensors(1999)}), 3,
                 "the input has 1999 records, and 2000 are to be searched: nothing was spent");
  EXPECT_EQ(read_text(path("none.json")), "");
  expect_refused(jme(flags, {.input = sensors(1500) + "word,1,x\n" + sensors(1500)}), 3, "stdin:1502");
  const CommandResult zero =
      jme(flags + " --on-bad-row zero --json", {.input = sensors(1999) + "word,1,x\n"});
  EXPECT_EQ(zero.code, 0) << zero.err;
}

TEST_F(BoundsCommand, SaysWhoIsProtected) {
  const auto statement = [&](const std::string& more) {
    return jme(search_flags + "--columns temp --first 4000 --json " + more, {.input = sensors(4000)})
        .json()["statement"]
        .get<std::string>();
  };
  EXPECT_THAT(statement(""), HasSubstr("one record is replaced by any other record"));
  EXPECT_THAT(statement("--adjacency add-remove"), HasSubstr("one record is there or has no cells"));
  EXPECT_THAT(statement("--participations 3"),
              HasSubstr("the records of one person (at most 3) are replaced by any other records"));
}

}  // namespace
}  // namespace jme::test
