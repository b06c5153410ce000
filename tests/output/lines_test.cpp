// What a run writes: its first line, its releases, its plan and its page, without starting a process.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/moments/moment_stream.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_page.hpp>
#include <jme/version.hpp>

namespace jme {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> columns{"temp", "a \"quoted\" name"};

/// Twenty rows that circle in the unit box, released every five, with hardly any noise.
struct SmallRun {
  explicit SmallRun(const std::string& words, bool bounded = true)
      : mechanism([] {
          StreamConfig config;
          config.budget.sigma = 1e-6;
          config.rows = 20;
          config.every = 5;
          config.dimension = 2;
          config.norm_bound = std::sqrt(2.0);
          return config;
        }()),
        bounds(bounded ? ColumnBounds::of(columns, std::vector<double>{-10, 0}, std::vector<double>{30, 4})
                       : ColumnBounds::none(2)),
        emit{.values = parse_emit(words)} {
    find_columns(emit, columns);
  }
  [[nodiscard]] RunDescription description() const {
    return {
        .mechanism = mechanism,
        .bounds = bounds,
        .emit = emit,
        .insecure_seed = 7,
        .settings = {{"bounds", bounds.text()}, {"missing", {}}, {"emit", std::vector<std::string>{"mean"}}}};
  }
  /// Calls take(release) for each release.
  template <class Take>
  void release_all(const Take& take) const {
    MomentStream stream(mechanism, InsecureTestSeed{7});
    for (int t = 0; t < 20; ++t) {
      const double row[] = {std::sin(t), 0.5 * std::cos(t)};
      const Release& release = stream.push(row);
      if (release.is_new()) take(release);
    }
  }
  Mechanism mechanism;
  ColumnBounds bounds;
  EmitOptions emit;
};

TEST(ReleaseLines, AreJsonInNaturalUnitsWithNoiseOfTheSameShapeBesideEveryValue) {
  const SmallRun run("first,second,mean,covariance,correlation,precision,pca:2,regression:temp,density");
  ReleaseWriter writer(units_of(run.bounds), run.emit, columns);
  std::size_t expected = 5;
  run.release_all([&](const Release& release) {
    const std::string line = writer.line(release);
    EXPECT_EQ(line.back(), '\n');
    const auto object = nlohmann::json::parse(line);
    EXPECT_EQ(object["t"], expected);
    expected += 5;
    for (const auto& [key, noise] : object["noise_std"].items()) {
      ASSERT_TRUE(object.contains(key)) << key;
      EXPECT_EQ(object[key].size(), key == "regression" ? noise.size() + 1 : noise.size()) << key;
    }
    EXPECT_EQ(object["noise_std"].size(), run.emit.values.size());
  });
  EXPECT_EQ(expected, 25U);
  // The mean of the first five rows, mapped back: 10 + 20 u.
  double mean = 0;
  for (int t = 0; t < 5; ++t) mean += std::sin(t) / 5;
  bool first = true;
  ReleaseWriter means(units_of(run.bounds), {.values = parse_emit("mean")}, columns);
  run.release_all([&](const Release& release) {
    if (!std::exchange(first, false)) return;
    const auto object = nlohmann::json::parse(means.line(release));
    // The lattice has steps of 2^-20 sqrt(2) in the unit box, a column is 20 of it wide, noise is smaller.
    EXPECT_NEAR(object["mean"][0].get<double>(), 10 + 20 * mean, 20 * 3e-6);
  });
}

TEST(MetadataLine, IsOneObjectWithVersionConfigurationPrivacyAndColumns) {
  const SmallRun run("mean");
  const std::string line = metadata_line(run.description(), columns);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object["jme"], version);
  EXPECT_EQ(object["columns"], nlohmann::json(columns));
  EXPECT_EQ(object["configuration"]["bounds"], run.bounds.text());
  EXPECT_EQ(object["configuration"]["emit"], nlohmann::json({"mean"}));
  EXPECT_EQ(object["configuration"]["rows"], 20);
  EXPECT_EQ(object["configuration"]["norm_bound"], std::sqrt(2.0));
  EXPECT_FALSE(object["configuration"].contains("missing"));
  EXPECT_EQ(object["privacy"]["sigma"], run.mechanism.sigma());
  EXPECT_EQ(object["privacy"]["insecure_test_seed"], 7);
  EXPECT_THAT(object["privacy"]["statement"].get<std::string>(), HasSubstr("NOT PRIVATE"));
}

TEST(PrivacyStatement, StatesAGuaranteeNoStrongerThanItIs) {
  const SmallRun run("mean");
  const std::string text = one_line(privacy_statement(run.mechanism, true, false));
  EXPECT_THAT(text, Not(HasSubstr("NOT PRIVATE")));
  const std::size_t at = text.find("mu = ") + 5;
  EXPECT_GE(std::stod(text.substr(at)), run.mechanism.mu());
}

TEST(PlanJson, HoldsEveryCandidateAndTheRecommendedOne) {
  const SmallRun run("mean");
  const Plan compared = plan(run.mechanism.config(), {});
  const auto object = plan_json(compared);
  ASSERT_EQ(object["candidates"].size(), compared.candidates.size());
  EXPECT_EQ(object["recommended"]["index"], compared.recommended);
  EXPECT_EQ(object["recommended"]["rmse_first"], compared.candidates.at(compared.recommended).rmse_first);
  EXPECT_EQ(object.contains("balances"), plan_balances(compared).has_value());
}

TEST(PrivacyStatement, SaysWhatHoldsWhereTheIdOfARecordCannotBeRead) {
  const SmallRun run("mean");
  const std::string what = "whose id cannot be read is nobody's";
  EXPECT_THAT(one_line(privacy_statement(run.mechanism, true, false)), Not(HasSubstr(what)));
  StreamConfig config = run.mechanism.config();
  config.participation = {.rows = 3};
  config.persons_are_limited = config.private_count = true;
  const Mechanism limited(config);
  const std::string text = one_line(privacy_statement(limited, true, false));
  EXPECT_THAT(text, HasSubstr(what));
  const std::size_t at = text.find("mu = ", text.find(what)) + 5;
  EXPECT_GE(std::stod(text.substr(at)), 2 * limited.mu());
}

TEST(PrivacyStatement, NamesTheAssumptionAboutPartitionsWhereItIsMade) {
  const SmallRun run("mean");
  RunDescription description = run.description();
  const auto names_it = Contains(HasSubstr("assumed to be in one partition"));
  EXPECT_THAT(privacy_statement(description), Not(names_it));
  description.persons_in_one_partition = true;
  EXPECT_THAT(privacy_statement(description), names_it);
}

TEST(ReportPage, IsMadeFromReleasesAndPublicSettingsAlone) {
  const SmallRun run("mean,covariance");
  const RunDescription description = run.description();
  ReportCollector collected(description, columns);
  run.release_all([&](const Release& release) { collected.add(release); });
  ASSERT_TRUE(collected.last());
  const std::string page =
      report_page({.run = description, .collected = collected, .last = *collected.last(), .title = "A <day>"})
          .html();
  EXPECT_THAT(page, HasSubstr("A &lt;day&gt;"));
  EXPECT_THAT(page, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(page, HasSubstr("Running means"));
  EXPECT_THAT(page, HasSubstr("a &quot;quoted&quot; name"));
}

}  // namespace
}  // namespace jme
