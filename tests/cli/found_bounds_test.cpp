// From jme bounds to jme run: bounds that were found, and the records they were found on.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

using namespace std::string_literals;

class FoundBounds : public InDirectory {
 protected:
  /// Rows from one number to another of a made-up file.
  static std::string rows(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += fmt::format("{},{}\n", 20 + i * 37 % 100 / 10.0, i % 7);
    return text;
  }
  static std::string csv(int from, int to) { return "a,b\n" + rows(from, to); }
  /// What jme bounds found on the first 2000 records.
  [[nodiscard]] std::string found(const std::string& more = "") const {
    const CommandResult result =
        jme("bounds - --epsilon 1 --delta 1e-6 --columns a,b --first 2000 "
            "--insecure-test-seed 1 --output " +
                path("bounds.json") + " " + more,
            {.input = csv(0, 2000)});
    EXPECT_EQ(result.code, 0) << result.err;
    return "--bounds @" + path("bounds.json");
  }
  /// The same bounds as if they were public.
  [[nodiscard]] std::string as_public() const {
    const auto bounds = nlohmann::json::parse(read_text(path("bounds.json")))["bounds"];
    return fmt::format("--bounds a={}:{},b={}:{}", bounds["a"][0].get<double>(), bounds["a"][1].get<double>(),
                       bounds["b"][0].get<double>(), bounds["b"][1].get<double>());
  }
};

const std::string run_found =
    "run - --epsilon 2 --delta 1e-6 --rows 1000 --every 100 --insecure-test-seed 5 --emit mean ";

std::string releases_of_run(const CommandResult& result) {
  EXPECT_EQ(result.code, 0) << result.err;
  return result.printed_releases();
}

TEST_F(FoundBounds, LetARunLeaveOutTheRecordsThatWereSearchedAndNoOther) {
  const std::string bounds = found();
  const CommandResult after = jme(run_found + bounds, {.input = csv(0, 3000)});
  EXPECT_EQ(releases_of_run(after),
            releases_of_run(jme(run_found + as_public(), {.input = csv(2000, 3000)})));
  EXPECT_EQ(after.releases().back()["t"], 1000);
}

// Where a record belongs is decided by its place alone.
TEST_F(FoundBounds, LeaveOutRecordsWhateverIsInThem) {
  const std::string flags = run_found + found() + " --on-bad-row zero";
  const std::string before = jme(flags, {.input = csv(0, 3000)}).out;
  std::string others = "a,b\n,NA\nword,1\n1e308,2\n\"3\n\n1,2,3,4\n";
  for (int i = 6; i < 2000; ++i) others += ",\n";
  EXPECT_EQ(jme(flags, {.input = others + rows(2000, 3000)}).out, before);
}

TEST_F(FoundBounds, SayWhatTheyCostTogether) {
  const std::string bounds = found();
  const auto privacy = [&](const std::string& more, const std::string& of_search = "") {
    return jme("run - --epsilon 2 --delta 1e-6 --rows 1000 --every 100 --dry-run --json " + found(of_search) +
               " " + more)
        .json()["privacy"];
  };
  const auto apart = privacy("");
  const double mu = apart["mu"], of_search = apart["bounds_search"]["mu"];
  EXPECT_EQ(apart["mu_with_search"].get<double>(), std::max(mu, of_search));
  EXPECT_EQ(apart["bounds_search"]["first"], 2000);
  EXPECT_THAT(apart["statement"].get<std::string>(),
              HasSubstr("found from the first 2000 records of the input, with epsilon = 1, delta = 1e-06"));
  EXPECT_THAT(apart["statement"].get<std::string>(), HasSubstr("leaves these records out"));
  EXPECT_THAT(apart["statement"].get<std::string>(), HasSubstr("NOT PRIVATE: the bounds were found"));

  const auto same = privacy("--same-rows");
  EXPECT_NEAR(same["mu_with_search"].get<double>(), std::hypot(mu, of_search), 1e-12);
  EXPECT_GE(same["mu_with_search"].get<double>(), std::hypot(mu, of_search));
  EXPECT_THAT(same["statement"].get<std::string>(), HasSubstr("count here as well: both together allow mu"));
  EXPECT_THAT(same["statement"].get<std::string>(), Not(HasSubstr("leaves these records out")));

  const auto people = privacy("--participations 2", "--participations 2");
  EXPECT_GT(people["mu_with_search"].get<double>(),
            std::max(people["mu"].get<double>(), people["bounds_search"]["mu"].get<double>()));
  EXPECT_THAT(people["statement"].get<std::string>(), HasSubstr("A person may have rows in both parts"));
}

TEST_F(FoundBounds, OfTheSameRowsAreLikeAnyOther) {
  const std::string bounds = found();
  EXPECT_EQ(releases_of_run(jme(run_found + bounds + " --same-rows", {.input = csv(0, 1000)})),
            releases_of_run(jme(run_found + as_public(), {.input = csv(0, 1000)})));
}

TEST_F(FoundBounds, AreRefusedWhereTheRunPromisesSomethingElse) {
  const std::string bounds = found();
  expect_refused(jme(run_found + bounds + " --adjacency add-remove"), 2,
                 "adjacency = add-remove: must be replace-one, as in the search for these bounds");
  expect_refused(jme(run_found + bounds + " --participations 3"), 2,
                 "participations = 3: must be 1, as in the search for these bounds");
  expect_refused(jme(run_found + bounds + " --state " + path("state")), 2,
                 "bounds: come from a search that no ledger has");
}

TEST_F(FoundBounds, OfADurableSearchAreFoundOnceAndChargedOnce) {
  const std::string state = "--state " + path("state") + " --source sensors ";
  const std::string search = "bounds - --epsilon 1 --delta 1e-6 --columns a,b --first 2000 --json " + state;
  const CommandResult once = jme(search, {.input = csv(0, 2000)});
  ASSERT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(jme(search, {.input = csv(0, 2500)}).out, once.out);
  expect_refused(jme(search, {.input = csv(1, 2001)}), 5, "not those that were searched for bounds");
  expect_refused(
      jme("bounds - --epsilon 1 --delta 1e-6 --columns a,b --first 2001 " + state, {.input = csv(0, 2500)}),
      5, "rows is 2000 there and 2001 here");
  const auto ledger = jme("ledger --json " + path("state")).json();
  EXPECT_EQ(ledger["streams"].size(), 1U);
  EXPECT_EQ(ledger["streams"][0]["stream"], "bounds");
  EXPECT_NEAR(ledger["total"][0]["mu"].get<double>(), 0.2367, 1e-4);
}

TEST_F(FoundBounds, ServeADurableRunOnTheInputThatWasSearchedAndNoOther) {
  const std::string state = " --state " + path("state") + " --source sensors";
  const std::string bounds = found(state), flags = run_found + bounds;
  const CommandResult result = jme(flags + state, {.input = csv(0, 3000)});
  EXPECT_EQ(releases_of_run(result), releases_of_run(jme(flags, {.input = csv(0, 3000)})));
  EXPECT_EQ(jme(flags + state, {.input = csv(0, 3000)}).out, result.out) << "the same again";
  const auto total = [&] { return jme("ledger --json " + path("state")).json()["total"][0]; };
  EXPECT_EQ(total()["streams"], 2);

  // A file without its first row has other records before the border.
  expect_refused(jme(flags + state + " --stream second", {.input = csv(1, 3000)}), 5,
                 "not those that were searched for bounds");
  expect_refused(jme(flags + state + " --stream second", {.input = csv(2000, 5000)}), 5,
                 "not those that were searched for bounds");
  EXPECT_EQ(total()["streams"], 2) << "nothing was charged";
  expect_refused(jme(flags + " --source others --state " + path("state")), 2,
                 "source = others: must be sensors, as in the search for these bounds");
  expect_refused(jme(flags + " --source sensors --state " + path("elsewhere"), {.input = csv(0, 3000)}), 5,
                 "elsewhere");
  expect_refused(jme(flags + state + " --same-rows", {.input = csv(0, 3000)}), 5, "another configuration");
}

// What one person writes into a record decides about that record alone: a run that reads other columns, or
// times, takes other records for bad ones than the search did.
TEST_F(FoundBounds, ServeADurableRunWhateverOneOfTheSearchedRecordsHolds) {
  const std::string state = " --on-bad-row zero --state " + path("state");
  const auto input = [&](const std::string& record) {
    std::string text = "when,a,b\n";
    for (int i = 0; i < 3000; ++i) {
      text += i == 7 ? record + "\n" : fmt::format("2026-01-01T{:02}:30,{},{}\n", i % 24, 20 + i % 10, i % 7);
    }
    return text;
  };
  int number = 0;
  for (const char* record :
       {"never,25,3", "2026-01-01,what,3", "2026-01-01,25,what", ",,", "", "\"", "x,1,2,3"}) {
    const std::string source = fmt::format(" --source s{} ", ++number), in = input(record);
    const CommandResult search =
        jme("bounds - --epsilon 1 --delta 1e-6 --columns a,b --first 2000 --output " + path("bounds.json") +
                state + source,
            {.input = in});
    ASSERT_EQ(search.code, 0) << search.err;
    const std::string flags =
        "run - --epsilon 2 --delta 1e-6 --bounds @" + path("bounds.json") + state + source;
    for (
        const std::string& more :
        {std::string("--rows 1000 --every 100 --columns b --stream b"),
         std::string("--rows 1000 --every 100 --columns a --stream a"),
         "--time when --every 1h --from 2026-01-01 --until 2026-01-02 --adjacency replace-one --stream hours"s}) {
      const CommandResult run = jme(flags + more, {.input = in});
      EXPECT_EQ(run.code, 0) << record << ' ' << more << ' ' << run.err;
    }
    EXPECT_EQ(jme(flags + "--rows 1000 --every 100 --stream other", {.input = input("2026-01-01,25,4")}).code,
              5)
        << "another record";
  }
}

// A file that says a smaller epsilon, or fewer records of a person, makes what both promise together too
// small.
TEST_F(FoundBounds, WhoseFileSaysOtherTermsThanTheLedgerAreRefused) {
  const std::string state = " --state " + path("state") + " --source sensors";
  const std::string flags = run_found + found(state) + state;
  const std::string written = read_text(path("bounds.json"));
  const auto with = [&](const char* key, const nlohmann::json& value) {
    auto edited = nlohmann::ordered_json::parse(written);
    edited["search"][key] = value;
    if (value.is_null()) edited["search"].erase(key);
    static_cast<void>(file("bounds.json", edited.dump()));
  };
  for (const std::string& more : {std::string(), " --same-rows"s, " --dry-run"s}) {
    const auto refused = [&](const std::string& what, const std::string& flag = "") {
      expect_refused(jme(flags + more + flag, {.input = csv(0, 3000)}), 2, what);
    };
    with("epsilon", 0.1);
    refused(
        "bounds: the file says that its search had epsilon = 0.1, but the ledger says 1. Use the file as");
    with("delta", 1e-9);
    refused("search had delta = 1e-09, but the ledger says 1e-06");
    with("first", 1999);
    refused("search had first = 1999, but the ledger says 2000");
    with("participations", 2);
    refused("search had participations = 2, but the ledger says 1", " --participations 2");
    with("insecure", nullptr);
    refused("bounds: were found with a test seed, and the file does not say so");
  }
  static_cast<void>(file("bounds.json", written));
  EXPECT_EQ(jme("ledger --json " + path("state")).json()["streams"].size(), 1U) << "no run was charged";
  // Bounds that somebody knows may be written into it.
  auto edited = nlohmann::ordered_json::parse(written);
  edited["bounds"]["b"] = {0, 6};
  static_cast<void>(file("bounds.json", edited.dump()));
  EXPECT_EQ(jme(flags, {.input = csv(0, 3000)}).code, 0);
}

// A search with a test seed has no total, so these two have keys from the system.
TEST_F(FoundBounds, AreOnTheLedgerWithTheRunOnceOrTwice) {
  const std::string state = " --state " + path("state");
  const CommandResult search = jme(
      "bounds - --epsilon 1 --delta 1e-6 --columns a,b --first 2000 --output " + path("bounds.json") + state,
      {.input = csv(0, 2000)});
  ASSERT_EQ(search.code, 0) << search.err;
  const std::string flags =
      "run - --epsilon 2 --delta 1e-6 --rows 1000 --every 100 --bounds @" + path("bounds.json") + state;
  const auto mu = [&] {
    return jme("ledger --json " + path("state")).json()["total"][0]["mu"].get<double>();
  };
  const double of_search = mu();
  const CommandResult apart = jme(flags, {.input = csv(0, 3000)});
  ASSERT_EQ(apart.code, 0) << apart.err;
  const double of_run = apart.lines()[0]["privacy"]["mu"];
  EXPECT_DOUBLE_EQ(mu(), std::max(of_search, of_run));
  const CommandResult same = jme(flags + " --stream same --same-rows", {.input = csv(0, 1000)});
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_DOUBLE_EQ(mu(), std::hypot(of_run, of_run)) << "of a row after the border, which both streams took";
  expect_refused(jme(flags + " --stream third --same-rows --max-mu 0.7", {.input = csv(0, 1000)}), 4,
                 "more than the 0.7 allowed");
}

TEST_F(FoundBounds, AreRefusedWhereTheyAreNotThoseOfASearch) {
  const auto with = [&](const std::string& text) {
    return run_found + "--bounds @" + file("other.json", text);
  };
  expect_refused(jme(run_found + "--bounds @" + path("nowhere.json")), 2, "nowhere.json");
  expect_refused(jme(with("word")), 2, "other.json: must be one JSON object");
  expect_refused(jme(with("{\"bounds\": {\"a\": [0, 1]}}")), 2, "has no search");
  const std::string search =
      "\"search\": {\"first\": 2000, \"epsilon\": 1, \"delta\": 1e-6, \"adjacency\": \"replace-one\", "
      "\"participations\": 1}";
  expect_refused(jme(with("{" + search + "}")), 2, "has no bounds");
  expect_refused(jme(with("{\"bounds\": {}, " + search + "}")), 2, "the search found no range");
  expect_refused(jme(with("{\"bounds\": {\"a\": [1, 0]}, " + search + "}")), 2, "bounds");
  expect_refused(jme(with("{\"bounds\": {\"a\": 1}, " + search + "}")), 2, "[low, high]");
  expect_refused(jme(with("{\"bounds\": {\"a\": [0, 1]}, " + search + "}") + " --columns b"), 2,
                 "found no range for column b");
  expect_refused(jme(run_found + "--same-rows --bounds a=0:1"), 2,
                 "same-rows: is for bounds that were found");
}

TEST_F(FoundBounds, NeedAnInputThatIsLongerThanTheSearch) {
  const std::string flags = run_found + found();
  expect_refused(jme(flags, {.input = csv(0, 1500)}), 3,
                 "ends after 1500 records, and the first 2000 were searched for bounds and are left out");
  expect_refused(jme(flags, {.input = csv(0, 2000)}), 3, "no rows");
}

TEST_F(FoundBounds, ServeSomeOfTheColumnsInAnyOrder) {
  const std::string bounds = found();
  const CommandResult result = jme(run_found + bounds + " --columns b", {.input = csv(0, 3000)});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.lines()[0]["columns"], nlohmann::json({"b"}));
}

TEST_F(FoundBounds, KeepTheirFileInPrintedSettings) {
  const std::string flags = "run --epsilon 2 --delta 1e-6 --rows 1000 --every 100 " + found();
  const CommandResult printed = jme(flags + " --print-config");
  EXPECT_EQ(printed.json()["bounds"], "@" + path("bounds.json"));
  EXPECT_EQ(jme("run --dry-run --json --config " + file("run.json", printed.out)).out,
            jme(flags + " --dry-run --json").out);
}

const std::string sought = "--bounds auto --columns a,b --first 2000 ";

TEST_F(FoundBounds, ByTheRunItselfAreThoseOfASearchBeforeIt) {
  const CommandResult search =
      jme("bounds - --epsilon 2 --delta 1e-6 --columns a,b --first 2000 --insecure-test-seed 5 --output " +
              path("bounds.json"),
          {.input = csv(0, 2000)});
  ASSERT_EQ(search.code, 0) << search.err;
  const CommandResult two = jme(run_found + "--bounds @" + path("bounds.json"), {.input = csv(0, 3000)});
  const CommandResult one = jme(run_found + sought, {.input = csv(0, 3000)});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(one.lines()[0]["privacy"]["mu_with_search"], one.lines()[0]["privacy"]["mu"]);
}

TEST_F(FoundBounds, ByADurableRunAreCommittedBeforeItsFirstRowAndStayWhatTheyAre) {
  // The noise of this search is not that of a seed: a second one would find something else.
  const std::string durable =
      "run - --epsilon 2 --delta 1e-6 --rows 1000 --every 100 --emit mean " + sought + "--state " + path("s");
  // The first process ends before the first release of its run.
  const CommandResult early = jme(durable, {.input = csv(0, 2050) + "x,y\n"});
  EXPECT_EQ(early.code, 3) << early.err;
  EXPECT_EQ(early.out, "");
  const CommandResult whole = jme(durable, {.input = csv(0, 3000)});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.releases().size(), 10U);
  EXPECT_EQ(jme(durable, {.input = csv(0, 3000)}).out, whole.out);
  const auto ledger = jme("ledger --json " + path("s")).json();
  EXPECT_EQ(ledger["streams"].size(), 2U);
  // Other records before the first row are not those that were searched.
  expect_refused(jme(durable, {.input = csv(1, 3001)}), 5, "not those that were searched");
}

TEST_F(FoundBounds, ByTheRunItselfSayBeforehandWhatTheyNeed) {
  expect_refused(jme(run_found + "--bounds auto --first 2000", {.input = csv(0, 3000)}), 2,
                 "columns: must be given");
  expect_refused(jme(run_found + "--bounds auto --columns a,b", {.input = csv(0, 3000)}), 2,
                 "first: must be given");
  expect_refused(jme(run_found + sought + "--same-rows", {.input = csv(0, 3000)}), 2,
                 "same-rows: is for bounds @FILE");
  expect_refused(jme(run_found + "--bounds auto --columns a,b --first 20", {.input = csv(0, 3000)}), 2,
                 "first = 20: must be at least");
  expect_refused(jme(run_found + "--bounds a=0:1,b=0:1 --first 20", {.input = csv(0, 3000)}), 2,
                 "first: is for a search");
  expect_refused(jme(run_found + sought, {.input = csv(0, 1000)}), 3, "has 1000 records, and 2000 are to be");
  const CommandResult dry = jme(run_found + sought + "--dry-run");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("in halves of the ranges that will be found"));
  EXPECT_THAT(dry.out, HasSubstr("They will be found from the first 2000 records"));
  const auto object = jme(run_found + sought + "--dry-run --json").json();
  EXPECT_EQ(object["configuration"]["bounds"], "auto");
  const CommandResult config = jme(run_found + sought + "--print-config");
  EXPECT_EQ(jme("run - --config " + file("c.json", config.out), {.input = csv(0, 3000)}).out,
            jme(run_found + sought, {.input = csv(0, 3000)}).out);
}

TEST_F(FoundBounds, ByTheRunItselfRefuseAColumnWithoutARange) {
  std::string text = "a,b\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("{},\n", 20 + i * 37 % 100 / 10.0);
  expect_refused(jme(run_found + sought + "--missing centre", {.input = text}), 2, "no range for column b");
}

}  // namespace
}  // namespace jme::test
