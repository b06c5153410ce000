// Runs whose missing cells are left out and whose counts are private.
#include <cmath>
#include <random>
#include <sstream>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class ObservedRun : public InDirectory {};

const std::string two_columns = "run --epsilon 1 --delta 1e-6 --bounds a=-1:1,b=0:10 ";

/// Rows of two columns; every third b is missing, and those have larger a.
struct TableWithHoles {
  std::string text = "a,b\n";
  double sum_a = 0, sum_b = 0, rows = 0, with_b = 0;

  explicit TableWithHoles(std::size_t count) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t t = 0; t < count; ++t) {
      const bool missing = t % 3 == 0;
      const double a = (missing ? 0.5 : -0.2) + 0.3 * uniform(generator), b = 6 + 3 * uniform(generator);
      text += std::to_string(a) + ',' + (missing ? "" : std::to_string(b)) + '\n';
      sum_a += a;
      ++rows;
      if (missing) continue;
      sum_b += b;
      ++with_b;
    }
  }
};

// Each comparison is beyond six standard deviations of its noise with probability 2e-9; the seed is fixed.
TEST_F(ObservedRun, MeansAreOverTheCellsThatAreThereAndCountsArePrivate) {
  const TableWithHoles table(3000);
  const CommandResult result = jme(two_columns +
                                   "--rows 3000 --every 1000 --missing observed --private-count "
                                   "--insecure-test-seed 7 --emit mean,covariance " +
                                   file("rows.csv", table.text));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1000 row(s) had missing cells that were left out (b 1000)"));
  const auto metadata = result.lines().front();
  EXPECT_EQ(metadata["configuration"]["geometry"], "box");
  EXPECT_EQ(metadata["configuration"]["missing"], "observed");
  EXPECT_THAT(metadata["privacy"]["statement"].get<std::string>(), HasSubstr("or is absent in one of them"));
  const auto last = result.releases().back();
  const auto near = [&](const nlohmann::json& value, const nlohmann::json& noise, double wanted) {
    EXPECT_NEAR(value.get<double>(), wanted, 6 * noise.get<double>());
    EXPECT_GT(std::abs(value.get<double>() - wanted), 0);  // it has noise
  };
  const auto& noise = last["noise_std"];
  near(last["rows"], noise["rows"], table.rows);
  near(last["count"][0], noise["count"][0], table.rows);
  near(last["count"][1], noise["count"][1], table.with_b);
  near(last["pair_count"][0][1], noise["pair_count"][0][1], table.with_b);
  near(last["mean"][0], noise["mean"][0], table.sum_a / table.rows);
  near(last["mean"][1], noise["mean"][1], table.sum_b / table.with_b);
  EXPECT_LT(noise["mean"][1].get<double>(), 0.2);
  const auto& interval = last["interval"]["mean"][1];
  EXPECT_LT(interval[0].get<double>(), last["mean"][1].get<double>());
  EXPECT_GT(interval[1].get<double>(), last["mean"][1].get<double>());
}

TEST_F(ObservedRun, BadRowsHaveNoCellsAndDragNoMean) {
  std::string rows = "a,b\n";
  for (int t = 0; t < 4000; ++t) rows += t % 4 == 0 ? "oops,\"\n" : "0.9,9\n";
  const std::string flags =
      two_columns + "--rows 4000 --every 4000 --on-bad-row zero --insecure-test-seed 3 ";
  const std::string data = file("rows.csv", rows);
  const auto dragged = jme(flags + data).releases().back();
  EXPECT_NEAR(dragged["mean"][1].get<double>(), 9 * 0.75 + 5 * 0.25, 0.3);
  for (const std::string private_counts : {"--private-count ", "--missing observed "}) {
    const CommandResult result = jme(flags + private_counts + data);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("counted as rows without cells"));
    const auto release = result.releases().back();
    const double noise = release["noise_std"]["mean"][1];
    EXPECT_NEAR(release["mean"][1].get<double>(), 9, 6 * noise);
    EXPECT_LT(noise, 0.1);
  }
}

TEST_F(ObservedRun, IsNullUntilACountIsTenOfItsStandardDeviations) {
  const auto release = jme(two_columns + "--rows 20 --every 20 --missing observed " +
                           file("rows.csv", TableWithHoles(20).text))
                           .releases()
                           .back();
  EXPECT_TRUE(release["mean"][1].is_null());
  EXPECT_TRUE(release["covariance"][0][1].is_null());
  EXPECT_FALSE(release["count"][1].is_null());
}

TEST_F(ObservedRun, RefusesWhatItCannotCount) {
  const std::string data = file("rows.csv", TableWithHoles(3).text);
  const std::string observed = two_columns + "--rows 3 --missing observed ";
  for (const std::string method : {"pp", "pp-debiased", "ime", "cs"}) {
    expect_refused(jme(observed + "--method " + method + " " + data), 2, "missing: ");
  }
  expect_refused(jme(observed + "--geometry ball " + data), 2, "missing: ");
  expect_refused(jme("run --sigma 1 --norm-bound 1 --rows 3 --missing observed " + data), 2, "missing: ");
  expect_refused(jme(observed + "--emit first --workload prefix --workload2 decay:0.9 " + data), 2,
                 "missing: ");
  expect_refused(jme(two_columns + "--rows 3 --private-count --method pp " + data), 2, "private-count: ");
  expect_refused(jme(two_columns + "--rows 3 --private-count --missing mean " + data), 2, "missing: ");
}

TEST_F(ObservedRun, DurableRunsPrintTheSameReleasesAgain) {
  const std::string flags = two_columns +
                            "--rows 300 --every 100 --missing observed --private-count --state " +
                            path("state") + " " + file("rows.csv", TableWithHoles(300).text);
  const CommandResult first = jme(flags), again = jme(flags);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, again.out);
  EXPECT_EQ(first.releases().size(), 3U);
}

TEST_F(ObservedRun, SettingsFilesHaveTheNewFields) {
  const std::string config =
      file("run.json", R"({"epsilon": 1, "delta": 1e-6, "bounds": {"a": [-1, 1], "b": [0, 10]}, "rows": 10,
                           "missing": "observed", "private_count": true, "geometry": "box"})");
  const CommandResult result = jme("run --dry-run --json --config " + config);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.json()["configuration"]["private_count"], true);
  EXPECT_EQ(result.json()["configuration"]["geometry"], "box");
}

}  // namespace
}  // namespace jme::test
