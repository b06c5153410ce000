#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string limited =
    "--bounds x=0:10,y=0:10 --epsilon 5 --delta 1e-6 --rows 400 --every 50 --on-bad-row zero";

class PeopleCommand : public InDirectory {
 protected:
  /// 400 records of people called secret-0, secret-1, ...
  [[nodiscard]] std::string visits() const {
    std::string content = "patient,x,y\n";
    for (int i = 0; i < 400; ++i)
      content += fmt::format("secret-{},{},{}\n", i % 3 == 0 ? 0 : i % 90, i % 9, i % 7);
    return file("visits.csv", content);
  }
};

TEST_F(PeopleCommand, StatesWhatHoldsForAllRowsOfAPersonAndNeverShowsAnId) {
  const CommandResult result = jme("run " + visits() + " --person patient --rows-per-person 3 " + limited);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("secret")));
  const auto head = result.lines().front();
  EXPECT_THAT(head["privacy"]["statement"].get<std::string>(), HasSubstr("all rows of one person together"));
  EXPECT_EQ(head["configuration"]["participations"], 3);
  EXPECT_EQ(head["configuration"]["rows_per_person"], 3);
  EXPECT_EQ(head["configuration"]["person"], "patient");
  EXPECT_EQ(head["configuration"]["private_count"], true);
  EXPECT_EQ(head["columns"], (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(result.releases().front().contains("rows"));
  EXPECT_THAT(result.err, HasSubstr("beyond --rows-per-person"));
}

TEST_F(PeopleCommand, CountsTheRowsThatTheLimitLeaves) {
  const CommandResult result =
      jme("run " + visits() +
          " --person patient --rows-per-person 2 --insecure-test-seed 1 --sigma 0.001 "
          "--bounds x=0:10,y=0:10 --rows 400 --every 400");
  ASSERT_EQ(result.code, 0) << result.err;
  // secret-0 has 134 records, the 60 others that are left 4 or 5 each.
  EXPECT_NEAR(result.releases().back()["rows"].get<double>(), 2.0 * 61, 0.5);
}

TEST_F(PeopleCommand, SaysWhyItCannotLimit) {
  const std::string run = "run " + visits() + ' ' + limited + ' ';
  expect_refused(jme(run + "--person patient"), 2, "rows-per-person");
  expect_refused(jme(run + "--rows-per-person 3"), 2, "person");
  expect_refused(jme(run + "--person patient --rows-per-person 0"), 2, "rows-per-person");
  expect_refused(jme(run + "--person patient --rows-per-person 3/day"), 2, "divide the window");
  expect_refused(jme(run + "--person patient --rows-per-person 3 --participations 2"), 2, "participations");
  expect_refused(jme(run + "--person patient --rows-per-person 3 --separation 2"), 2, "separation");
  expect_refused(jme(run + "--person patient --rows-per-person 3 --method ime"), 2, "person");
  expect_refused(jme(run + "--person patient --rows-per-person 3 --missing mean"), 2, "missing");
  expect_refused(jme(run + "--person nobody --rows-per-person 3"), 2, "there is no column nobody");
  expect_refused(jme(run + "--person x --rows-per-person 3"), 2, "is one of the columns too");
}

TEST_F(PeopleCommand, GivesNoRecordWithFurtherCellsToAnybody) {
  std::string before, after, arrays;
  for (int i = 0; i < 100; ++i) {
    before += "1,1,mal\n";
    after += fmt::format("z,1,p{},mal\n", i);
    arrays += fmt::format("[0,1,\"p{}\",\"mal\"]\n", i);
  }
  std::string others, other_arrays;
  for (int i = 0; i < 100; ++i) {
    others += fmt::format("1,1,p{}\n", i);
    other_arrays += fmt::format("[1,1,\"p{}\"]\n", i);
  }
  const std::string flags =
      " --person 3 --rows-per-person 1 --bounds 1=-1:1,2=-1:1 --sigma 0.001 --insecure-test-seed 1 --rows "
      "200 "
      "--every 200 --on-bad-row zero";
  const auto counted = [&](const std::string& name, const std::string& content, const std::string& more) {
    const CommandResult result = jme("run " + file(name, content) + more + flags);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.releases().back()["rows"].get<double>();
  };
  EXPECT_NEAR(counted("before.csv", before + others, " --no-header"), 101, 0.5);
  EXPECT_NEAR(counted("after.csv", after + others, " --no-header"), 100, 0.5);
  EXPECT_NEAR(counted("after.csv", after + others, " --no-header --width 3"), 100, 0.5);
  EXPECT_NEAR(counted("after.ndjson", arrays + other_arrays, ""), 100, 0.5);
  // Where every record has a further cell, the id is in its place.
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += fmt::format("0,1,p{},mal\n", i % 100);
  EXPECT_NEAR(counted("wide.csv", wide, " --no-header --width 4"), 100, 0.5);
}

TEST_F(PeopleCommand, NamesTheWidthWhereARecordHasFurtherCells) {
  const std::string
      run = "run " + file("wide.csv", "1,1,p,mal\n") + " --no-header ",
      limit = "--person 3 --rows-per-person 1 --bounds 1=0:1,2=0:1 --epsilon 1 --delta 1e-6 --rows 1 ";
  expect_refused(jme(run + limit + "--on-bad-row fail"), 3,
                 "has 4 columns, 3 are needed: where every record has more, say so with --width N");
  expect_refused(jme(run + limit + "--width 2"), 2, "person: must be a number from 1 to 2");
  expect_refused(jme(run + limit + "--width 0"), 2, "width");
  expect_refused(jme(run + "--columns 1,5 --width 4 --norm-bound 1 --epsilon 1 --delta 1e-6 --rows 1"), 2,
                 "columns: must be numbers from 1 to 4");
  expect_refused(
      jme("run " + file("named.csv", "x,y\n1,1\n") + " --width 2 --bounds x=0:1 --sigma 1 --rows 1"), 2,
      "width: is for records without a header");
  EXPECT_EQ(jme(run + limit + "--width 4").code, 0);
  EXPECT_EQ(jme(run + "--dimension 2 --width 4 --norm-bound 2 --epsilon 1 --delta 1e-6 --rows 1").code, 0);
  const std::string search =
      "bounds " + path("wide.csv") +
      " --no-header --columns 1 --person 3 --rows-per-person 1 --epsilon 9 --delta 1e-3 --first 900 ";
  expect_refused(jme(search), 3, "--width N");
  EXPECT_THAT(jme(search + "--width 4").err, Not(HasSubstr("width")));
  EXPECT_EQ(jme(run + "--config " + file("run.json", R"({"width": 4})") + ' ' + limit).code, 0);
}

TEST_F(PeopleCommand, TakesTheLimitFromASettingsFile) {
  const std::string with_person =
      file("run.json", R"({"person": "patient", "rows_per_person": 3, "epsilon": 5,
    "delta": 1e-6, "rows": 400, "every": 50, "bounds": {"x": [0, 10], "y": [0, 10]}})");
  const CommandResult result = jme("run " + visits() + " --config " + with_person + " --dry-run");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("only the first 3 rows count"));
}

TEST_F(PeopleCommand, RefusesAnotherPersonAtAnOldRowOfADurableRun) {
  const std::string run =
      " --person patient --rows-per-person 3 " + limited + " --leave-open --state " + path("state");
  ASSERT_EQ(jme("run " + visits() + run).code, 0);
  ASSERT_EQ(jme("run " + path("visits.csv") + run).code, 0);
  std::string content = read_text(path("visits.csv"));
  content.replace(content.find("secret-5,"), 9, "secret-6,");
  const CommandResult other = jme("run " + file("visits.csv", content) + run);
  EXPECT_EQ(other.code, 5) << other.err;
  const auto total = jme("ledger " + path("state") + " --json").json()["total"][0];
  EXPECT_EQ(total["participations"], 3);
  EXPECT_EQ(total["per_person"], true);
}

const std::string by_the_hour =
    "--time when --every 1h --from 2026-01-01 --until 2026-01-03 --bounds x=0:10 --epsilon 5 --delta 1e-6 "
    "--person patient ";

class PeopleInSlotsCommand : public PeopleCommand {
 protected:
  /// Two days; secret-0 has five records in every hour, the others one each.
  [[nodiscard]] std::string hours() const {
    std::string content = "patient,when,x\n";
    for (int hour = 0; hour < 48; ++hour) {
      for (int i = 0; i < 10; ++i) {
        content += fmt::format("{},{},{}\n", i < 5 ? "secret-0" : fmt::format("secret-{}-{}", hour, i),
                               1767225600 + 3600 * hour + i, i);
      }
    }
    return file("hours.csv", content);
  }
  /// How many rows count, next to no noise.
  [[nodiscard]] double counted(const std::string& limit) const {
    const CommandResult result =
        jme("run " + hours() +
            " --time when --every 1h --from 2026-01-01 --until 2026-01-03 --bounds x=0:10 "
            "--sigma 1e-4 --insecure-test-seed 1 --person patient --rows-per-person " +
            limit);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.releases().back()["rows"].get<double>();
  }
};

TEST_F(PeopleInSlotsCommand, CountsTheRowsThatLimitsPerWindowLeave) {
  const double others = 48 * 5;
  EXPECT_NEAR(counted("3"), others + 3, 0.5);
  EXPECT_NEAR(counted("3/slot"), others + 3 * 48, 0.5);
  EXPECT_NEAR(counted("3/hour"), others + 3 * 48, 0.5);
  EXPECT_NEAR(counted("3/day"), others + 3 * 2, 0.5);
  EXPECT_NEAR(counted("3/6h"), others + 3 * 8, 0.5);
  EXPECT_NEAR(counted("3/6h:10"), others + 10, 0.5);
  EXPECT_NEAR(counted("3/day:all"), others + 3 * 2, 0.5);
}

TEST_F(PeopleInSlotsCommand, SaysAboutWhichRowsOfAPersonThePromiseIs) {
  const auto privacy = [&](const std::string& limit) {
    const CommandResult result =
        jme("run --dry-run --json --shape scaled-blt:4 " + by_the_hour + "--rows-per-person " + limit);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.lines().front();
  };
  const auto day = privacy("3/day");
  const std::string words = day["privacy"]["statement"];
  EXPECT_THAT(words,
              HasSubstr("all rows of one person in one day (UTC) together are there or are all absent"));
  EXPECT_THAT(words, HasSubstr("in each day (UTC) only the first 3 rows count"));
  EXPECT_THAT(words, HasSubstr("All rows of a person in all 2 days together"));
  EXPECT_EQ(day["configuration"]["rows_per_person"], "3/day");
  EXPECT_EQ(day["configuration"]["participations"], 3);
  const double mu = day["privacy"]["mu"], of_all = day["privacy"]["mu_of_all_windows"];
  EXPECT_GT(of_all, 1.2 * mu);
  EXPECT_LE(of_all, 2 * mu * (1 + 1e-9));
  EXPECT_NEAR(day["privacy"]["mu_of_moved_row"].get<double>(), 4 * mu, 1e-6);
  const auto person = privacy("3/day:all");
  EXPECT_THAT(person["privacy"]["statement"].get<std::string>(),
              HasSubstr("all rows of one person together are there or are all absent"));
  EXPECT_FALSE(person["privacy"].contains("mu_of_all_windows"));
  EXPECT_EQ(person["configuration"]["rows_per_person"], "3/day:6");
  // The noise for all windows is what the statement about one window says they cost.
  EXPECT_NEAR(person["configuration"]["sensitivity"].get<double>() /
                  day["configuration"]["sensitivity"].get<double>(),
              of_all / mu, 1e-3 * of_all / mu);
}

TEST_F(PeopleInSlotsCommand, IsChargedForTheRowsOfAWindow) {
  const std::string state = " --state " + path("state");
  ASSERT_EQ(jme("run " + hours() + ' ' + by_the_hour + "--rows-per-person 3/day" + state).code, 0);
  const CommandResult ledger = jme("ledger " + path("state"));
  EXPECT_THAT(ledger.out,
              HasSubstr("all rows of a person that happened in one window of 1d (3 count, by ids)"));
  const auto total = jme("ledger " + path("state") + " --json").json()["total"][0];
  EXPECT_EQ(total["window"], "1d");
  EXPECT_EQ(total["window_by"], "time");
  EXPECT_EQ(total["per_person"], true);
  const CommandResult other = jme("run " + hours() + ' ' + by_the_hour + "--rows-per-person 3/6h" + state);
  EXPECT_EQ(other.code, 5) << "another limit is another stream";
}

TEST_F(PeopleInSlotsCommand, SaysWhyItCannotLimitInWindows) {
  const std::string run = "run " + hours() + ' ' + by_the_hour;
  expect_refused(jme(run + "--rows-per-person 3/90m"), 2, "do not divide a window");
  expect_refused(
      jme("run " + hours() +
          " --time when --every 1h --from 2026-01-01T00:30 --until 2026-01-02T00:30 --bounds x=0:10 "
          "--epsilon 5 --delta 1e-6 --person patient --rows-per-person 3/day"),
      2, "after midnight UTC");
  // Windows that overlapped those of another run could not be added up in a ledger.
  expect_refused(
      jme("run " + hours() +
          " --time when --every 6h --from 2026-01-01T03:00 --until 2026-01-02T03:00 --bounds x=0:10 "
          "--epsilon 5 --delta 1e-6 --person patient --rows-per-person 3/slot"),
      2, "after midnight UTC");
  expect_refused(jme(run + "--rows-per-person 3/day:2"), 2, "more rows in all");
  expect_refused(jme("bounds " + hours() +
                     " --columns x --first 400 --epsilon 5 --delta 1e-6 --person patient "
                     "--rows-per-person 3/day"),
                 2, "a whole number for a search");
}

TEST_F(PeopleInSlotsCommand, PlanShowsLimitsPerWindowSideBySide) {
  const CommandResult result =
      jme("plan --methods --epsilon 1 --delta 1e-6 --every 1h --steps 168 --bounds x=0:1 --rows-per-person "
          "10,1/slot:10,3/day,3/day:all --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto limits = result.json()["limits"];
  ASSERT_EQ(limits.size(), 4U);
  EXPECT_EQ(limits[1]["rows_per_person"], "1/slot:10");
  // Ten rows in one slot cost ten times one row; in ten slots less, where noise is shaped for that.
  EXPECT_LT(limits[1]["rmse_late"].get<double>(), 0.9 * limits[0]["rmse_late"].get<double>());
  EXPECT_LT(limits[2]["std_first"].get<double>(), limits[3]["std_first"].get<double>());
}

TEST_F(PeopleInSlotsCommand, FindsItsBoundsItselfAndSaysWhatThatCosts) {
  std::string content = "patient,when,x\n";
  for (int i = 0; i < 9000; ++i) {
    content += fmt::format("p{},{},{}\n", i % 2500, 1767225600 + i * 19, 20 + i % 9);
  }
  const std::string input = file("many.csv", content);
  const std::string run =
      "run " + input +
      " --time when --every 1h --from 2026-01-01 --until 2026-01-03 --epsilon 2 --delta 1e-6 "
      "--columns x --first 4000 --bounds auto ";
  for (const char* limit :
       {"", "--person patient --rows-per-person 2", "--person patient --rows-per-person 2/day"}) {
    const CommandResult result = jme(run + limit);
    ASSERT_EQ(result.code, 0) << result.err;
    const auto privacy = result.lines().front()["privacy"];
    const double mu = privacy["mu"], search_mu = privacy["bounds_search"]["mu"];
    EXPECT_NEAR(privacy["mu_with_search"].get<double>(), std::hypot(mu, search_mu), 1e-9);
    EXPECT_EQ(privacy["bounds_search"]["adjacency"], "replace-one");
    // A row that changes its time may cross the border of the search as well.
    const double factor = limit == std::string() ? std::sqrt(2) : std::string(limit).ends_with("day") ? 4 : 2;
    const double moved = std::hypot(factor * mu, search_mu);
    EXPECT_NEAR(privacy["mu_of_moved_row"].get<double>(), moved, 1e-9);
    EXPECT_THAT(privacy["statement"].get<std::string>(),
                testing::ContainsRegex(fmt::format("and mu = {:.4f}.* about rows that also change their time",
                                                   std::floor(moved * 1e4) / 1e4)));
    EXPECT_EQ(result.releases().size(), 48U);
    // With a state folder the same ranges and releases come again, and nothing is spent again.
    const std::string state =
        fmt::format(" --state {}", path(fmt::format("state{}", std::string(limit).size())));
    const CommandResult kept = jme(run + limit + state), again = jme(run + limit + state);
    ASSERT_EQ(kept.code, 0) << kept.err;
    EXPECT_EQ(kept.out, again.out);
    EXPECT_EQ(kept.releases().size(), 48U);
  }
  expect_refused(
      jme("run - --every 1h --steps 4 --epsilon 2 --delta 1e-6 --columns x --first 4000 --bounds auto"), 2,
      "depends on everybody's rows");
}

// One row less must change no more than noise: an error would tell that it is not there.
TEST_F(PeopleInSlotsCommand, GoesOnWithFewerRecordsThanAreSearchedBecauseTheirNumberIsPrivate) {
  const auto rows = [](int count) {
    std::string content = "when,x\n";
    for (int i = 0; i < count; ++i) content += fmt::format("{},{}\n", 1767225600 + i * 19, 20 + i % 9);
    return content;
  };
  const std::string clocked =
      " --time when --every 1h --from 2026-01-01 --until 2026-01-02 --epsilon 2 --delta 1e-6 ";
  const std::string found = path("found.json");
  ASSERT_EQ(jme("bounds " + file("4000.csv", rows(4000)) +
                " --columns x --first 4000 --epsilon 2 --delta 1e-6 --output " + found)
                .code,
            0);
  for (const int count : {4000, 3999}) {
    const std::string input = file(fmt::format("{}.csv", count), rows(count));
    for (const std::string& bounds :
         {std::string("--columns x --first 4000 --bounds auto"), "--bounds @" + found}) {
      const CommandResult result = jme("run " + input + clocked + bounds);
      EXPECT_EQ(result.code, 0) << result.err;
      EXPECT_EQ(result.releases().size(), 24U) << count << ' ' << bounds;
      EXPECT_THAT(result.err, Not(HasSubstr("records")));
    }
  }
}

TEST_F(PeopleCommand, SearchAndRunComposeEvenWhereOneRowOfAPersonCountsInEach) {
  std::string content = "patient,x\n";
  for (int i = 0; i < 6000; ++i) content += fmt::format("p{},{}\n", i % 2500, i % 9);
  const std::string input = file("many.csv", content), found = path("bounds.json");
  const CommandResult search = jme("bounds " + input +
                                   " --columns x --first 3000 --epsilon 2 --delta 1e-6 --person "
                                   "patient --rows-per-person 1 --output " +
                                   found);
  ASSERT_EQ(search.code, 0) << search.err;
  const std::string run =
      "run " + input + " --bounds @" + found + " --epsilon 2 --delta 1e-6 --rows 3000 --every 500";
  const CommandResult result = jme(run + " --person patient --rows-per-person 1");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto privacy = result.lines().front()["privacy"];
  const double mu = privacy["mu"], search_mu = privacy["bounds_search"]["mu"];
  EXPECT_NEAR(privacy["mu_with_search"].get<double>(), std::hypot(mu, search_mu), 1e-9);
  expect_refused(jme(run), 2, "person");
  expect_refused(jme(run + " --person patient --rows-per-person 2"), 2, "rows-per-person");
}

TEST_F(PeopleCommand, PlanShowsLimitsSideBySideAndJudgesShapesByLateReleases) {
  const std::string stream = "plan --methods --epsilon 1 --delta 1e-6 --rows 1000 --bounds x=0:1,y=0:1 ";
  const CommandResult table = jme(stream + "--rows-per-person 1,3,10,30");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("median number of rows"));
  const auto limits = jme(stream + "--rows-per-person 1,3,10,30 --json").json()["limits"];
  ASSERT_EQ(limits.size(), 4u);
  for (const auto& limit : limits) {
    const std::size_t rows = limit["rows_per_person"];
    const auto single = jme(stream + fmt::format("--rows-per-person {} --method jme --json", rows)).json();
    const auto& candidates = single["candidates"];
    const auto late = [&](const std::string& shape) {
      for (const auto& candidate : candidates) {
        if (candidate["shape"] == shape) return candidate["rmse_late"].get<double>();
      }
      return 0.0;
    };
    if (rows == 1) continue;
    // Over all releases the identity would look best from ten rows on; at the end it is far worse.
    const double best = limit["rmse_late"];
    EXPECT_LT(best, 0.8 * late("identity")) << rows;
    EXPECT_LE(best, 1.011 * late("scaled-blt:4")) << rows;
    // What a run would take.
    const auto run = jme("run --dry-run --json --method jme --person who " + stream.substr(15) +
                         fmt::format("--rows-per-person {}", rows));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_LE(late(run.lines().front()["configuration"]["shape"]), 1.011 * best) << rows;
  }
  // All rows of a person in one release: three times the noise, the same shape.
  const auto blocks = jme(stream + "--every 50 --rows-per-person 1,3 --method jme --json").json()["limits"];
  EXPECT_EQ(blocks[0]["shape"], blocks[1]["shape"]);
  EXPECT_NEAR(blocks[1]["std_first"].get<double>(), 3 * blocks[0]["std_first"].get<double>(), 1e-4);
}

}  // namespace
}  // namespace jme::test
