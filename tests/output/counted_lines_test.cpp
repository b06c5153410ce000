// Releases with private counts as lines of JSON and on the report's page.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/models/covariance.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_page.hpp>

#include "models/synthetic.hpp"

namespace jme {
namespace {

using nlohmann::json;
using test::NoiseStds;
using test::numbers_of;
using test::ReleaseNumbers;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> three_names{"a", "b", "c"};
const ReleaseLayout observed_cells{
    .dimension = 3, .second = SecondMoment::full, .cell_counts = true, .row_count = true};
const char* const everything =
    "first,second,mean,covariance,correlation,precision,pca:2,regression:a,density";

EmitOptions emitting(const std::string& words) {
  EmitOptions options{.values = parse_emit(words)};
  find_columns(options, three_names);
  return options;
}

json written(ReleaseWriter& writer, const Release& release) {
  return json::parse(writer.line(release));
}

/// A release after `rows` rows with holes; the workload is the mean, so that sums are divided by rows.
ReleaseNumbers after(Eigen::Index rows, double noise) {
  const auto n = static_cast<double>(rows);
  return numbers_of(test::holes(rows), observed_cells, NoiseStds::box(noise / n, 3), n);
}

TEST(CountedLines, HaveCountsInRowsWithNoiseOfTheSameShape) {
  ReleaseWriter writer(test::some_units(), emitting(everything), three_names);
  const ReleaseNumbers numbers = after(770, 0.1);
  const json line = written(writer, numbers.exact());
  // 770 rows: 70 do not exist; of the others 1/5 and 1/7 lack a cell.
  EXPECT_NEAR(line["rows"].get<double>(), 700, 1e-9);
  EXPECT_NEAR(line["count"][0].get<double>(), 560, 1e-9);
  EXPECT_NEAR(line["count"][1].get<double>(), 600, 1e-9);
  EXPECT_NEAR(line["count"][2].get<double>(), 700, 1e-9);
  ASSERT_EQ(line["pair_count"].size(), 3U);
  EXPECT_NEAR(line["pair_count"][0][1].get<double>(), 480, 1e-9);
  EXPECT_EQ(line["pair_count"][0][1], line["pair_count"][1][0]);
  EXPECT_NEAR(line["pair_count"][0][2].get<double>(), 560, 1e-9);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(line["pair_count"][i][i], line["count"][i]);
  const json& noise = line["noise_std"];
  EXPECT_NEAR(noise["rows"].get<double>(), 0.1 / 1.5, 1e-9);
  EXPECT_NEAR(noise["count"][2].get<double>(), 0.1 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(noise["pair_count"][0][1].get<double>(), 0.2, 1e-9);
  EXPECT_EQ(noise["pair_count"][1][1], noise["count"][1]);
  for (const auto& [key, value] : noise.items()) {
    ASSERT_TRUE(line.contains(key)) << key;
    EXPECT_THAT(value.dump(), Not(HasSubstr("null"))) << key;
  }
  EXPECT_THAT(line.dump(), Not(HasSubstr("null")));
}

TEST(CountedLines, HaveCountsOfPairsOnlyBesideWhatUsesPairs) {
  ReleaseWriter means(test::some_units(), emitting("mean"), three_names);
  const json line = written(means, after(770, 0.1).exact());
  EXPECT_TRUE(line.contains("count") && line.contains("rows"));
  EXPECT_FALSE(line.contains("pair_count"));
  ReleaseWriter covariances(test::some_units(), emitting("covariance"), three_names);
  const json other = written(covariances, after(770, 0.1).exact());
  EXPECT_TRUE(other.contains("pair_count"));
  EXPECT_FALSE(other.contains("interval"));
}

TEST(CountedLines, HaveIntervalsInNaturalUnits) {
  ReleaseWriter writer(test::some_units(), emitting("mean"), three_names);
  const Release release = after(770, 1).exact();
  const json line = written(writer, release);
  const MeanInterval interval = mean_interval(release, test::some_units());
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    EXPECT_EQ(line["interval"]["mean"][i], json({interval.low(k), interval.high(k)}));
    EXPECT_LT(interval.low(k), line["mean"][i].get<double>());
    EXPECT_GT(interval.high(k), line["mean"][i].get<double>());
  }
  EXPECT_FALSE(line["noise_std"].contains("interval"));
  // A count of less than two standard deviations gives none.
  const json early = written(writer, after(20, 30).exact());
  EXPECT_EQ(early["interval"]["mean"], json({nullptr, nullptr, nullptr}));
}

TEST(CountedLines, AreNullUntilCountsAreKnownAndNotBackAtOnce) {
  const auto nulls = [](const json& value) { return value.dump().find("null") != std::string::npos; };
  using enum CountTracker::Counts;
  for (const CountTracker::Counts counts : {may_fall, grow}) {
    ReleaseWriter writer(test::some_units(), emitting(everything), three_names, counts);
    const json early = written(writer, after(110, 30).exact());  // a count of 100, noise 42
    for (const char* key :
         {"mean", "covariance", "correlation", "precision", "pca", "regression", "density"}) {
      EXPECT_TRUE(nulls(early[key])) << key;
      EXPECT_TRUE(nulls(early["noise_std"][key])) << key;
    }
    for (const char* key : {"first", "count", "pair_count", "rows"}) EXPECT_FALSE(nulls(early[key])) << key;
    // Pairs carry more noise, and are known later.
    const json between = written(writer, after(770, 30).exact());
    EXPECT_FALSE(nulls(between["mean"]));
    EXPECT_TRUE(nulls(between["pca"]));
    EXPECT_FALSE(nulls(written(writer, after(2200, 30).exact())["pca"]));
    EXPECT_FALSE(nulls(written(writer, after(400, 30).exact())["mean"])) << "seven deviations keep it";
    EXPECT_EQ(nulls(written(writer, after(110, 30).exact())["mean"]), counts == may_fall);
    EXPECT_EQ(nulls(written(writer, after(400, 30).exact())["mean"]), counts == may_fall);
  }
}

TEST(CountedLines, AreTheSameWhenARunThatGoesOnWritesThemAgain) {
  ReleaseWriter whole(test::some_units(), emitting("mean,covariance,pca:1"), three_names);
  std::mt19937_64 generator(4);
  std::vector<Release> releases;
  std::string expected, actual;
  for (const int rows : {100, 900, 2400, 700, 500, 800}) {
    releases.push_back(after(rows, 30).draw(generator));
    expected += whole.line(releases.back());
  }
  ReleaseWriter again(test::some_units(), emitting("mean,covariance,pca:1"), three_names);
  for (const Release& release : releases) actual += again.line(release);
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(again.counts().memory(), whole.counts().memory());
}

TEST(CountedLines, OfAProjectedCovarianceAreNullUntilAllOfItIsKnown) {
  EmitOptions options = emitting("covariance");
  Eigen::MatrixXd x = test::three_columns(500);
  x.col(2).tail(480).setConstant(NAN);
  const Release release = numbers_of(x, observed_cells, NoiseStds::box(2, 3)).exact();
  const auto plain = emitted_covariance(release, test::some_units(), options, Divisors(release));
  EXPECT_TRUE(std::isfinite(plain.value(0, 1)) && std::isnan(plain.value(0, 2)));
  options.psd = true;
  EXPECT_TRUE(emitted_covariance(release, test::some_units(), options, Divisors(release))
                  .value.array()
                  .isNaN()
                  .all());
}

TEST(CountedLines, OfCompleteRowsHaveTheNumberOfRowsAlone) {
  const ReleaseLayout layout{.dimension = 3, .second = SecondMoment::full, .row_count = true};
  const Release release = numbers_of(test::three_columns(300), layout, NoiseStds::box(1, 3)).exact();
  ReleaseWriter writer(test::some_units(), emitting(everything), three_names);
  const json line = written(writer, release);
  EXPECT_NEAR(line["rows"].get<double>(), 300, 1e-9);
  EXPECT_FALSE(line.contains("count") || line.contains("pair_count"));
  EXPECT_EQ(line["interval"]["mean"].size(), 3U);
}

TEST(CountedReport, StartsCurvesWhereValuesAreKnownAndShowsCounts) {
  StreamConfig config;
  config.budget.sigma = 1;
  config.rows = 4000;
  config.every = 100;
  config.dimension = 3;
  config.norm_bound = std::sqrt(3.0);
  const Mechanism mechanism(config);
  const ColumnBounds bounds =
      ColumnBounds::of(three_names, std::vector<double>{-20, 0, 0}, std::vector<double>{45, 100, 10000});
  const EmitOptions options = emitting("mean,covariance,pca:2,regression:a");
  const RunDescription run{.mechanism = mechanism, .bounds = bounds, .emit = options, .missing = "observed"};
  ReportCollector collected(run, three_names);
  std::mt19937_64 generator(4);
  std::size_t known = 0;
  for (std::size_t step = 1; step <= 40; ++step) {
    const Release release = after(static_cast<Eigen::Index>(100 * step), 30).draw(generator, step);
    collected.add(release);
    known += std::isnan(collected.divisors()->first(0)) ? 0 : 1;
  }
  EXPECT_GT(known, 20U);
  EXPECT_LT(known, 40U);
  EXPECT_EQ(collected.centres()[0].count(), known);
  const std::string page =
      report_page({.run = run, .collected = collected, .last = *collected.last()}).html();
  EXPECT_THAT(page, HasSubstr("cells there"));
  EXPECT_THAT(page, HasSubstr("counted privately"));
  EXPECT_THAT(page, HasSubstr("Rows in which two columns are there together"));
  EXPECT_THAT(page, HasSubstr("every average is over the cells that are there"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(CountedReport, OfCountsThatAreNotKnownSaysSo) {
  StreamConfig config;
  config.budget.sigma = 1;
  config.rows = 4000;
  config.every = 100;
  config.dimension = 3;
  config.norm_bound = std::sqrt(3.0);
  const Mechanism mechanism(config);
  const ColumnBounds bounds = ColumnBounds::none(3);
  const EmitOptions options = emitting("mean,covariance,pca:2,regression:a");
  const RunDescription run{.mechanism = mechanism, .bounds = bounds, .emit = options};
  ReportCollector collected(run, three_names);
  collected.add(after(100, 30).exact());
  const std::string page =
      report_page({.run = run, .collected = collected, .last = *collected.last()}).html();
  EXPECT_THAT(page, HasSubstr("Not shown yet"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace jme
