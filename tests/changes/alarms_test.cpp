#include <jme/changes/alarms.hpp>

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/random/key.hpp>

namespace jme {
namespace {

using testing::HasSubstr;

TEST(AlarmRule, IsReadAsItIsWritten) {
  const AlarmRule above = parse_alarm("temp.mean > 38");
  EXPECT_EQ(above.kind, AlarmRule::Kind::above);
  EXPECT_EQ(above.column, "temp");
  EXPECT_EQ(above.limit, 38);
  EXPECT_EQ(above.text, "temp.mean > 38");
  EXPECT_EQ(parse_alarm("a.b.mean<-1e3").column, "a.b");
  EXPECT_EQ(parse_alarm("a.b.mean<-1e3").limit, -1000);
  EXPECT_EQ(parse_alarm("heart rate.mean changes").column, "heart rate");
  EXPECT_FALSE(parse_alarm("x.mean changes").sd.has_value());
  EXPECT_EQ(parse_alarm("x.mean changes sd 2.5").sd, 2.5);
  EXPECT_EQ(parse_alarms("x.mean > 1,y.mean changes").size(), 2U);
  for (const char* wrong : {"", "temp", "temp > 3", ".mean > 3", "temp.mean", "temp.mean >", "temp.mean > x",
                            "temp.mean = 3", "temp.mean > nan", "temp.mean > inf", "temp.mean changes sd",
                            "temp.mean changes sd -1", "temp.mean changes sd 0", "temp.mean changed"}) {
    EXPECT_THROW(static_cast<void>(parse_alarm(wrong)), InvalidParameter) << wrong;
  }
}

StreamConfig stream(std::size_t rows, std::size_t every, std::size_t dimension = 1) {
  return {.budget = {.epsilon = 1.0, .delta = 1e-6},
          .rows = rows,
          .every = every,
          .dimension = dimension,
          .norm_bound = std::sqrt(static_cast<double>(dimension)),
          .unit_box = true};
}

AlarmOptions rules(const char* text, double level = 0.01) {
  AlarmOptions options{.rules = parse_alarms(text), .level = level};
  find_columns(options, {"x", "y"});
  return options;
}

std::string complaint(const AlarmOptions& options, const StreamConfig& config) {
  try {
    check_alarms(options, config);
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "none";
}

TEST(AlarmRules, OfChangesAreRefusedWhereCountsArePrivateWithTheReason) {
  const AlarmOptions change = rules("x.mean changes"), limit = rules("x.mean > 0.5");
  StreamConfig config = stream(100, 10);
  EXPECT_EQ(complaint(change, config), "none");
  config.private_count = true;
  EXPECT_THAT(complaint(change, config), HasSubstr("more or fewer rows alone would raise it"));
  EXPECT_EQ(complaint(limit, config), "none");
  config = stream(100, 10);
  config.slot_seconds = 3600;
  EXPECT_THAT(complaint(change, config), HasSubstr("private"));
  config = stream(100, 10);
  config.observed = true;
  EXPECT_THAT(complaint(change, config), HasSubstr("private"));
  config = stream(100, 10);
  config.method = Method::pp;
  EXPECT_THAT(complaint(change, config), HasSubstr("pp"));
  AlarmOptions wrong = limit;
  wrong.level = 1;
  EXPECT_THAT(complaint(wrong, stream(100, 10)), HasSubstr("alarm-level"));
  AlarmOptions unknown{.rules = parse_alarms("z.mean > 1")};
  EXPECT_THROW(find_columns(unknown, {"x", "y"}), InvalidParameter);
}

BlockSum block_of(const Mechanism& mechanism, std::size_t rows, double value) {
  const std::size_t d = mechanism.config().dimension;
  BlockSum block(RowMap::of(mechanism));
  const std::vector<double> cells(rows * d, value);
  block.add_rows(MatrixView::of_rows(cells, d));
  return block;
}

/// How many of the streams raise any alarm; `value` of all rows in every step.
template <class Value>
std::size_t raised(const Mechanism& mechanism, const AlarmOptions& options, std::size_t streams,
                   std::size_t steps, std::size_t rows, const Value& value) {
  std::size_t count = 0;
  std::vector<BlockSum> blocks;
  for (std::size_t step = 0; step < steps; ++step) blocks.push_back(block_of(mechanism, rows, value(step)));
  for (std::uint64_t seed = 0; seed < streams; ++seed) {
    MomentStream stream(mechanism, InsecureTestSeed{seed});
    for (const BlockSum& block : blocks) static_cast<void>(stream.push_block(block));
    const Releases releases = stream.take_releases();
    AlarmWatch watch(mechanism, Units::identity(mechanism.config().dimension), options);
    bool any = false;
    for (std::size_t i = 0; i < releases.size(); ++i) {
      for (const AlarmState& state : watch.next(releases[i])) any = any || state.raised;
    }
    count += any ? 1 : 0;
  }
  return count;
}

/// Beyond which a binomial count lies with probability below 1e-9.
double most(double p, double trials) {
  return trials * p + 6 * std::sqrt(trials * p * (1 - p)) + 6;
}

// The true mean is the limit itself: the worst case. Releases of a running mean are correlated, so less than
// the level is used up, but not less than a tenth of it.
TEST(AlarmWatch, OfALimitErrsWithItsLevelAtMost) {
  constexpr std::size_t streams = 600;
  constexpr double level = 0.3;
  for (const bool is_private : {false, true}) {
    StreamConfig config = stream(10'000, 1'000);
    config.private_count = is_private;
    const Mechanism mechanism(config);
    const std::size_t found =
        raised(mechanism, rules("x.mean > 0.5", level), streams, 10, 1'000, [](std::size_t) { return 0.5; });
    EXPECT_LE(static_cast<double>(found), most(level, streams)) << is_private;
    EXPECT_GE(found, streams * 3 / 100) << is_private;
  }
}

TEST(AlarmWatch, OfALimitIsRaisedWhereTheMeanIsBeyondItAndEndsWithIt) {
  const Mechanism mechanism([] {
    StreamConfig config = stream(20'000, 1'000);
    config.workload = window(1'000);
    return config;
  }());
  const auto value = [](std::size_t step) { return step >= 5 && step < 10 ? 0.9 : -0.9; };
  MomentStream stream(mechanism, InsecureTestSeed{1});
  AlarmWatch above(mechanism, Units::identity(1), rules("x.mean > 0,x.mean < 0"));
  for (std::size_t step = 0; step < 20; ++step) {
    static_cast<void>(stream.push_block(block_of(mechanism, 1'000, value(step))));
    const auto states = above.next(stream.take_releases()[0]);
    EXPECT_EQ(states[0].raised, value(step) > 0) << step;
    EXPECT_EQ(states[1].raised, value(step) < 0) << step;
    EXPECT_EQ(states[0].is_new, step == 5) << step;
    if (value(step) > 0) {
      EXPECT_EQ(states[0].since, 6'000U);
    }
  }
}

// Rows at random at both ends of the bounds, the largest variance that there is.
TEST(AlarmWatch, OfAChangeOfRowsOfAnyLawErrsWithItsLevelAtMost) {
  const Mechanism mechanism(stream(2'000, 100));
  const auto ends = [](std::size_t step) { return std::sin(static_cast<double>(step * step)) > 0 ? 0.01 : -0.01; };
  constexpr std::size_t streams = 200;
  EXPECT_LE(static_cast<double>(raised(mechanism, rules("x.mean changes", 0.1), streams, 20, 100, ends)),
            most(0.1, streams));
}

TEST(AlarmWatch, FindsAChangeSaysWhereItBeganAndKeepsTheAlarm) {
  const Mechanism mechanism(stream(100'000, 1'000));
  MomentStream stream(mechanism, InsecureTestSeed{1});
  AlarmWatch watch(mechanism, Units::identity(1), rules("x.mean changes sd 0.1"));
  std::size_t since = 0, news = 0;
  for (std::size_t step = 0; step < 100; ++step) {
    // Back to what it was at the end: the alarm stays.
    const double value = step >= 50 && step < 90 ? 0.4 : 0.1;
    static_cast<void>(stream.push_block(block_of(mechanism, 1'000, value)));
    const AlarmState state = watch.next(stream.take_releases()[0])[0];
    EXPECT_TRUE(std::isfinite(state.evidence));
    if (step < 50) {
      EXPECT_FALSE(state.raised) << step;
    }
    news += state.is_new ? 1 : 0;
    if (state.is_new) {
      since = *state.since;
      EXPECT_NEAR(static_cast<double>(*state.change_t), 50'000, 2'000);
    }
    if (since > 0) {
      EXPECT_TRUE(state.raised) << step;
      EXPECT_EQ(state.since, since);
    }
  }
  EXPECT_EQ(news, 1U);
  EXPECT_GE(since, 51'000U);
  EXPECT_LE(since, 56'000U);
}

// Rules of one run share the level, and rows of any law cost the union over releases.
TEST(AlarmWatch, NeedsMoreEvidenceForMoreRulesAndForRowsOfAnyLaw) {
  const Mechanism mechanism(stream(2'000, 100, 2));
  MomentStream source(mechanism, InsecureTestSeed{1});
  static_cast<void>(source.push_block(block_of(mechanism, 100, 0)));
  const Releases releases = source.take_releases();
  const auto needed = [&](const char* text) {
    AlarmWatch watch(mechanism, Units::identity(2), rules(text));
    return watch.next(releases[0])[0].needed;
  };
  EXPECT_DOUBLE_EQ(needed("x.mean changes sd 0.1"), 100);
  EXPECT_DOUBLE_EQ(needed("x.mean changes sd 0.1,y.mean changes sd 0.1"), 200);
  EXPECT_DOUBLE_EQ(needed("x.mean changes"), 2'000);  // 20 releases
  EXPECT_NEAR(needed("x.mean > 0"), 3.2905267314919255, 1e-12);  // upper 0.01/20 quantile
}

TEST(AlarmWatch, IsAFunctionOfTheReleasesAndNeedsAllOfThem) {
  const Mechanism mechanism(stream(2'000, 100));
  MomentStream source(mechanism, InsecureTestSeed{1});
  for (int step = 0; step < 5; ++step) static_cast<void>(source.push_block(block_of(mechanism, 100, 0.3)));
  const Releases releases = source.take_releases();
  AlarmWatch one(mechanism, Units::identity(1), rules("x.mean > 0,x.mean changes"));
  AlarmWatch two(mechanism, Units::identity(1), rules("x.mean > 0,x.mean changes"));
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const auto a = one.next(releases[i]), b = two.next(releases[i]);
    for (std::size_t rule = 0; rule < 2; ++rule) EXPECT_EQ(a[rule].evidence, b[rule].evidence);
  }
  AlarmWatch late(mechanism, Units::identity(1), rules("x.mean > 0"));
  EXPECT_THROW(late.next(releases[1]), StateError);
}

TEST(AlarmGuarantee, SaysTheLevelAndWhatACauseIs) {
  EXPECT_THAT(alarm_guarantee(rules("x.mean > 1", 0.02)), HasSubstr("at most 0.02 in the whole run"));
  EXPECT_THAT(alarm_guarantee(rules("x.mean > 1")), HasSubstr("the noise is normal, so this is exact"));
  EXPECT_THAT(alarm_guarantee(rules("x.mean changes")), HasSubstr("rows of any law within their bounds"));
  EXPECT_THAT(alarm_guarantee(rules("x.mean changes sd 1")), HasSubstr("nearly normal"));
}

}  // namespace
}  // namespace jme
