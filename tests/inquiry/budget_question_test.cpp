#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/inquiry/budget_question.hpp>

#include "inquiry/least_epsilon.hpp"
#include "inquiry/observed_errors.hpp"

namespace jme::test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Texts = std::vector<std::pair<std::string, std::string>>;

constexpr const char* bounds = "a=-20:45,b=0:1,c=34:43,d=-1e4:1e4";
const KnownColumns data{.mean = {0.5, -0.3, 0, -0.65}, .deviation = {0.3, 0.3, 0.3, 0.3}};

/// What the settings say of the data, in natural units.
std::string in_units(const std::vector<double>& unit, bool with_centre) {
  const ColumnBounds of = ColumnBounds::parse(bounds, bounded_columns(bounds));
  std::string text;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const double value = (with_centre ? of.centre()[i] : 0) + of.half_width()[i] * unit[i];
    text += fmt::format("{}{}={}", i == 0 ? "" : ",", static_cast<char>('a' + static_cast<int>(i)), value);
  }
  return text;
}

struct Configuration {
  const char* name;
  Texts settings;
  Asked expect_rows{}, expect_per_person{};
  std::vector<Place> places;
};

constexpr Seconds midnight = 1'767'225'600;  // 2026-01-01

std::vector<Place> plain_rows(std::size_t rows) {
  return std::vector<Place>(rows);
}

/// 24 slots of an hour with 40 and 60 rows in turn.
std::vector<Place> hourly_rows() {
  std::vector<Place> places;
  for (Seconds hour = 0; hour < 24; ++hour) {
    for (int i = 0; i < (hour % 2 == 0 ? 40 : 60); ++i)
      places.push_back({.time = midnight + 3600 * hour + i});
  }
  return places;
}

/// Half of 128 people have 2 rows and half 20, of which 3 count.
std::vector<Place> people() {
  std::vector<Place> places;
  for (int round = 0; round < 20; ++round) {
    for (int person = 0; person < 128; ++person) {
      if (round >= (person % 2 == 0 ? 2 : 20)) continue;
      places.push_back({.person = fmt::format("p{}", person), .counts = round < 3});
    }
  }
  return places;
}

/// 40 people with 5 rows on each of 4 days, of which 2 count each day.
std::vector<Place> people_of_days() {
  std::vector<Place> places;
  for (Seconds day = 0; day < 4; ++day) {
    for (int round = 0; round < 5; ++round) {
      for (int person = 0; person < 40; ++person) {
        places.push_back({.person = fmt::format("p{}", person),
                          .time = midnight + 86'400 * day + 14'400 * round + person,
                          .counts = round < 2});
      }
    }
  }
  return places;
}

std::vector<Configuration> configurations() {
  return {
      {"rows", {{"rows", "320"}, {"every", "32"}, {"sigma", "0.05"}}, {}, {}, plain_rows(320)},
      {"fewer rows than the horizon",
       {{"rows", "1000"}, {"every", "32"}, {"sigma", "0.05"}, {"workload", "prefix"}},
       "320",
       {},
       plain_rows(320)},
      {"absent cells",
       {{"rows", "320"}, {"every", "32"}, {"sigma", "0.03"}, {"missing", "observed"}},
       {},
       {},
       plain_rows(320)},
      {"slots",
       {{"every", "1h"}, {"time", "when"}, {"from", "2026-01-01"}, {"until", "2026-01-02"}, {"sigma", "0.1"}},
       "50",
       {},
       hourly_rows()},
      {"people",
       {{"rows", "1408"}, {"every", "176"}, {"person", "id"}, {"rows_per_person", "3"}, {"sigma", "0.015"}},
       "1408",
       "2,20",
       people()},
      {"people in slots",
       {{"every", "6h"},
        {"time", "when"},
        {"from", "2026-01-01"},
        {"until", "2026-01-05"},
        {"person", "id"},
        {"rows_per_person", "2/day"},
        {"sigma", "0.015"}},
       "800/4d",
       "5",
       people_of_days()}};
}

RunSettings with_bounds(const Configuration& configuration) {
  RunSettings settings = settings_of(configuration.settings);
  settings.set("bounds", bounds);
  return settings;
}

BudgetQuestion question_about(const Configuration& configuration) {
  return {.settings = with_bounds(configuration),
          .expect_rows = configuration.expect_rows,
          .expect_per_person = configuration.expect_per_person,
          .expect_mean = in_units(data.mean, true),
          .expect_std = in_units(data.deviation, false)};
}

/// Errors divided by what the plan says of them: their root mean square is 1 / 1.96 of the half-interval
/// where the noise is small.
class Scaled {
 public:
  void add(double error, double half) {
    const double x = error / half;
    squares_ += x * x;
    misses_ += std::abs(x) > 1 ? 1 : 0;
    ++count_;
  }
  [[nodiscard]] double ratio() const {
    return 1.959963984540054 * std::sqrt(squares_ / static_cast<double>(count_));
  }
  [[nodiscard]] double missed() const { return static_cast<double>(misses_) / static_cast<double>(count_); }

 private:
  double squares_ = 0;
  std::size_t misses_ = 0, count_ = 0;
};

// Four columns in 2000 runs are 8000 errors with independent noise. The root mean square of 8000 normal
// numbers has a relative standard deviation of 1/sqrt(16000) = 0.79%; 6.1 of them, which has probability
// below 1e-9, are 4.8%. So a plan that is right fails with probability below 1e-9 where the allowance is 5%,
// and one that is wrong by 10% passes with probability below 1e-9.
TEST(SlowBudgetQuestion, AgreesWithTheErrorsOfRealRunsWithinFivePercent) {
  constexpr std::uint64_t runs = 2000;
  for (const Configuration& configuration : configurations()) {
    const Json line = answer(question_about(configuration))["lines"][0];
    const Json& halves = line["half_interval"];
    const PreparedRun run(run_config(with_bounds(configuration)));
    const RowBatch rows = rows_of(run, data, configuration.places);
    EXPECT_NEAR(line["rows"].get<double>(),
                static_cast<double>(std::ranges::count_if(configuration.places, &Place::counts)), 1e-9);
    Scaled mean, deviation, correlation;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      const ObservedErrors errors = errors_of_run(run, data, rows, seed);
      for (std::size_t k = 0; k < data.mean.size(); ++k) {
        mean.add(errors.mean[k], halves["mean"][k]);
        deviation.add(errors.deviation[k], halves["std"][k]);
      }
      // All pairs are alike but for their means, which move these errors by less than 1%.
      for (const double error : errors.correlation) correlation.add(error, halves["correlation"]);
    }
    RecordProperty(configuration.name,
                   fmt::format("{:.4f} {:.4f} {:.4f}", mean.ratio(), deviation.ratio(), correlation.ratio()));
    EXPECT_NEAR(mean.ratio(), 1, 0.05) << configuration.name;
    EXPECT_NEAR(deviation.ratio(), 1, 0.05) << configuration.name;
    EXPECT_NEAR(correlation.ratio(), 1, 0.05) << configuration.name;
  }
}

// 16000 errors: the share of misses has a standard deviation of 0.17% at 5%, and 6.1 of them are 1.05%.
TEST(SlowBudgetQuestion, ATargetIsMetInNinetyFivePercentOfRunsAndNotInMany) {
  constexpr std::uint64_t runs = 4000;
  for (Configuration configuration : configurations()) {
    std::erase_if(configuration.settings, [](const auto& setting) { return setting.first == "sigma"; });
    configuration.settings.emplace_back("delta", "1e-6");
    BudgetQuestion question = question_about(configuration);
    // The same part of every range, and means in the same place: every column is as hard as the others.
    question.expect_mean = in_units({0.5, 0.5, 0.5, 0.5}, true);
    question.expect_std.reset();
    const std::vector<double> halves(4, 0.1);
    question.target = in_units(halves, false);
    const Json line = answer(question)["lines"][0];
    ASSERT_TRUE(line["epsilon"].is_number()) << configuration.name << line;
    configuration.settings.emplace_back("epsilon", fmt::format("{}", line["epsilon"].get<double>()));
    const PreparedRun run(run_config(with_bounds(configuration)));
    const KnownColumns columns{.mean = {0.5, 0.5, 0.5, 0.5}, .deviation = {0.3, 0.3, 0.3, 0.3}};
    const RowBatch rows = rows_of(run, columns, configuration.places);
    Scaled errors;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      const ObservedErrors of_run = errors_of_run(run, columns, rows, seed);
      for (std::size_t k = 0; k < 4; ++k) {
        errors.add(of_run.mean[k], 0.1 * run.bounds().half_width()[k]);
      }
    }
    EXPECT_NEAR(errors.missed(), 0.05, 0.0105) << configuration.name;
  }
}

Json lines_of(const Texts& settings, BudgetQuestion question = {}) {
  question.settings = settings_of(settings);
  return answer(question)["lines"];
}

std::string complaint(const Texts& settings, BudgetQuestion question = {}) {
  try {
    static_cast<void>(lines_of(settings, std::move(question)));
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "none";
}

const Texts small{{"bounds", "x=0:10"}, {"delta", "1e-6"}, {"rows", "1000"}};

Texts operator+(Texts texts, const Texts& more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

TEST(BudgetQuestion, AnswersEachCombinationOfItsLists) {
  const Json lines =
      lines_of(small + Texts{{"epsilon", "0.5,1,2"}, {"every", "100,500"}, {"rows_per_person", "1,3"}});
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0]["epsilon"], 0.5);
  EXPECT_EQ(lines[3]["every"], "500");
  EXPECT_EQ(lines[6]["rows_per_person"], "3");
  EXPECT_EQ(lines[0]["releases"], 10);
  EXPECT_EQ(lines[3]["releases"], 2);
  for (std::size_t i = 0; i + 1 < 3; ++i) {
    EXPECT_GT(lines[i]["half_interval"]["mean"][0], lines[i + 1]["half_interval"]["mean"][0]);
  }
}

TEST(BudgetQuestion, SupposesTheWorstMeanWhereNoneIsSaid) {
  const Texts counted = small + Texts{{"epsilon", "1"}, {"private_count", "true"}};
  const auto half = [&](const char* mean) {
    return lines_of(counted,
                    {.expect_mean = mean == nullptr ? Asked() : Asked(mean)})[0]["half_interval"]["mean"][0]
        .get<double>();
  };
  EXPECT_LT(half("x=5"), half("x=8"));
  EXPECT_LT(half("x=8"), half("x=10"));
  EXPECT_DOUBLE_EQ(half("x=10"), half("x=0"));
  EXPECT_NEAR(half(nullptr), half("x=10"), 1e-12);
  EXPECT_THAT(complaint(counted, {.expect_mean = "x=11"}), HasSubstr("within its bounds"));
  EXPECT_THAT(complaint(counted, {.expect_mean = "y=1"}), HasSubstr("one of the columns: x"));
  EXPECT_THAT(complaint(counted, {.expect_mean = "x=9", .expect_std = "x=4"}), HasSubstr("expect-std"));
}

TEST(BudgetQuestion, CountsRowsByTheSlotOrTheHour) {
  const Texts slots{{"bounds", "x=0:10"}, {"epsilon", "1"}, {"delta", "1e-6"}, {"steps", "48"}};
  const Texts hourly = slots + Texts{{"every", "1h"}};
  EXPECT_THAT(complaint(hourly), HasSubstr("expect-rows: must be given"));
  EXPECT_EQ(lines_of(hourly, {.expect_rows = "500"})[0]["rows"], 24000);
  EXPECT_EQ(lines_of(hourly, {.expect_rows = "500", .expect_slots = "10"})[0]["rows"], 5000);
  const Texts both = slots + Texts{{"every", "1h,1d"}};
  EXPECT_THAT(complaint(both, {.expect_rows = "500"}), HasSubstr("500/1h"));
  const Json lines = lines_of(both, {.expect_rows = "500/1h"});
  EXPECT_EQ(lines[0]["rows"], 24000);
  EXPECT_EQ(lines[1]["rows"], 24 * 24000);
  EXPECT_THAT(complaint(hourly, {.expect_rows = "500", .expect_slots = "49"}), HasSubstr("at most 48"));
  EXPECT_THAT(complaint(small + Texts{{"epsilon", "1"}}, {.expect_rows = "1001"}), HasSubstr("at most 1000"));
}

TEST(BudgetQuestion, CountsWhatTheLimitLeavesOfPeople) {
  const Texts people = small + Texts{{"epsilon", "1"}, {"rows_per_person", "3"}};
  EXPECT_NEAR(lines_of(people, {.expect_per_person = "2,20"})[0]["rows"].get<double>(), 1000 * 5 / 22.0,
              1e-9);
  EXPECT_EQ(lines_of(people)[0]["rows"], 1000);
  EXPECT_THAT(complaint(small + Texts{{"epsilon", "1"}}, {.expect_per_person = "2"}),
              HasSubstr("rows-per-person"));
}

TEST(BudgetQuestion, SaysWhyAFigureIsNull) {
  const Json few = lines_of(small + Texts{{"epsilon", "0.01"}, {"private_count", "true"}})[0];
  EXPECT_TRUE(few["half_interval"]["mean"][0].is_null());
  EXPECT_THAT(few["reasons"]["mean"].get<std::string>(), HasSubstr("too few rows"));
  const Json none = lines_of(small + Texts{{"epsilon", "1"}, {"second", "none"}})[0];
  EXPECT_TRUE(none["half_interval"]["std"][0].is_null());
  EXPECT_THAT(none["reasons"]["std"].get<std::string>(), HasSubstr("no second moment"));
  EXPECT_THAT(none["reasons"]["correlation"].get<std::string>(), HasSubstr("one column"));
}

TEST(BudgetQuestion, RefusesWhatHasNoUnits) {
  EXPECT_THAT(complaint({{"bounds", "auto"},
                         {"first", "100"},
                         {"columns", "x"},
                         {"epsilon", "1"},
                         {"delta", "1e-6"},
                         {"rows", "10"}}),
              HasSubstr("bounds = auto"));
  EXPECT_THAT(complaint(small + Texts{{"epsilon", "1"}}, {.target = "x=0.1"}), HasSubstr("target"));
  EXPECT_THAT(complaint(small, {.target = "x=0"}), HasSubstr("above 0"));
  EXPECT_THAT(complaint(small, {.target = "x"}), HasSubstr("temp=37"));
}

TEST(BudgetQuestion, ChecksEveryStreamBeforeItsPlanIsMade) {
  std::size_t asked = 0;
  static_cast<void>(answer({.settings = settings_of(small + Texts{{"epsilon", "1,2"}, {"every", "10,100"}})},
                           {}, {}, [&](const StreamConfig& config) {
                             ++asked;
                             EXPECT_EQ(config.rows, 1000U);
                           }));
  EXPECT_EQ(asked, 2U);
}

TEST(LeastEpsilon, HasFourDigitsAndIsTheLeastOfThem) {
  for (const double goal : {0.00123456, 0.1, 0.99999, 1.0, 3.14159, 512.3, 0.7}) {
    const double found = inquiry::least_epsilon([&](double epsilon) { return epsilon >= goal; }).value();
    EXPECT_GE(found, goal);
    const double unit = std::pow(10.0, std::floor(std::log10(found)) - 3);
    EXPECT_LT(found - unit, goal + 1e-12) << goal;
    EXPECT_EQ(fmt::format("{}", found), fmt::format("{:.4g}", found));
  }
  EXPECT_FALSE(inquiry::least_epsilon([](double) { return false; }).has_value());
}

}  // namespace
}  // namespace jme::test
