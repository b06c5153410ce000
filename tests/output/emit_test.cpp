#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/emit.hpp>

namespace jme {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

StreamConfig hundred_rows(SecondMoment second = SecondMoment::full) {
  StreamConfig config;
  config.budget.sigma = 1;
  config.rows = 100;
  config.dimension = 3;
  config.norm_bound = 1;
  config.second = second;
  return config;
}

std::string complaint(const std::string& emit, const StreamConfig& config, bool has_bounds = false) {
  try {
    static_cast<void>(check_emit({.values = parse_emit(emit)}, config, has_bounds));
  } catch (const InvalidParameter& error) {
    EXPECT_EQ(error.field(), "emit");
    return error.what();
  }
  return "no complaint";
}

TEST(Emit, IsReadAndWrittenInTheSameWords) {
  const std::string words = "first,second,mean,covariance,correlation,precision,pca:2,regression:co,density";
  std::string again;
  for (const EmitItem& item : parse_emit(words)) again += (again.empty() ? "" : ",") + item.text();
  EXPECT_EQ(again, words);
  for (const char* bad :
       {"median", "pca", "pca:0", "pca:x", "mean:1", "regression:", "mean,mean", "", "pca:1,pca:2"}) {
    EXPECT_THROW(static_cast<void>(parse_emit(bad)), InvalidParameter) << bad;
  }
}

TEST(Emit, NamesParametersAndNoFlags) {
  const StreamConfig none = hundred_rows(SecondMoment::none), diagonal = hundred_rows(SecondMoment::diagonal);
  EXPECT_EQ(complaint("second", none), "emit = second: must be left out where second is none");
  EXPECT_EQ(complaint("pca:2", none), "emit = pca:2: must be left out where second is none");
  EXPECT_EQ(complaint("precision", diagonal), "emit = precision: must be used where second is full");
  EXPECT_EQ(complaint("covariance", diagonal), "no complaint");
  StreamConfig two = hundred_rows();
  two.workload_second = decay(0.9);
  EXPECT_EQ(complaint("covariance", two),
            "emit = covariance: must be used with one workload for both moments");
  EXPECT_EQ(complaint("second", two), "no complaint");
  EXPECT_EQ(complaint("second", two, true),
            "emit = second: must be used with one workload for both moments when bounds are given");
}

TEST(Emit, ReturnsOptionsThatChangeNothing) {
  const auto unused = [](EmitOptions options) { return check_emit(options, hundred_rows(), false); };
  EXPECT_THAT(unused({.values = parse_emit("mean"), .bias = Bias::kept, .psd = true}),
              ElementsAre(UnusedEmitOption::psd, UnusedEmitOption::bias));
  EXPECT_THAT(unused({.values = parse_emit("pca:1"), .bias = Bias::kept, .psd = true}),
              ElementsAre(UnusedEmitOption::psd));
  EXPECT_THAT(unused({.values = parse_emit("covariance"), .bias = Bias::kept, .psd = true}), IsEmpty());
  EXPECT_THAT(unused({.values = parse_emit("mean")}), IsEmpty());
}

TEST(Emit, FindsTheColumnOfARegressionByNameBeforeNumber) {
  EmitOptions options{.values = parse_emit("regression:2,regression:co")};
  find_columns(options, {"2", "temp", "co"});
  EXPECT_EQ(options.values[0].target, 0U);
  EXPECT_EQ(options.values[1].target, 2U);
  EXPECT_THROW(find_columns(options, {"a", "b"}), InvalidParameter);
  EmitOptions wide{.values = parse_emit("pca:4")};
  EXPECT_THROW(find_columns(wide, {"a", "b", "c"}), InvalidParameter);
}

}  // namespace
}  // namespace jme
