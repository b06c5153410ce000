#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme {
namespace {

RunSettings with(std::string_view more) {
  return RunSettings::from_json(
      R"({"epsilon":1,"delta":1e-6,"bounds":{"x":[0,1],"y":[0,1]})" + std::string(more) + "}", "the test");
}

std::string refused_field(const RunSettings& settings) {
  try {
    static_cast<void>(run_config(settings));
  } catch (const InvalidParameter& error) {
    return std::string(error.field());
  }
  return "";
}

TEST(RunConfigOf, RefusesAPersonOrATimeThatIsADataColumn) {
  EXPECT_EQ(refused_field(with(R"(,"rows":10,"person":"x","rows_per_person":1)")), "person");
  EXPECT_EQ(refused_field(with(R"(,"rows":10,"person":"who","rows_per_person":1)")), "");
  const std::string day = R"(,"every":"1h","from":"2026-01-01","until":"2026-01-02","time":)";
  EXPECT_EQ(refused_field(with(day + R"("y")")), "time");
  EXPECT_EQ(refused_field(with(day + R"("when")")), "");
}

// A run that ended at such a row would show its readers that there was one, and no noise hides that.
TEST(RunConfigOf, TakesABadRowForARowWithoutCellsWhereCountsArePrivateUnlessToldOtherwise) {
  const auto rule = [](const std::string& more) { return run_config(with(more)).on_bad_row; };
  const std::string day = R"(,"every":"1h","time":"when","from":"2026-01-01","until":"2026-01-02")";
  const std::string rows = R"(,"rows":10)", limit = R"(,"person":"who","rows_per_person":1)";
  EXPECT_EQ(rule(rows), OnBadRow::fail);
  EXPECT_EQ(rule(rows + R"(,"missing":"centre","private_count":false)"), OnBadRow::fail);
  for (const std::string& counted :
       {rows + R"(,"private_count":true)", rows + R"(,"missing":"observed,x=0.5")", rows + limit, day,
        day + limit, std::string(R"(,"every":"1h","steps":9)")}) {
    EXPECT_EQ(rule(counted), OnBadRow::zero) << counted;
    EXPECT_EQ(rule(counted + R"(,"on_bad_row":"fail")"), OnBadRow::fail) << counted;
  }
  EXPECT_EQ(rule(rows + R"(,"on_bad_row":"zero")"), OnBadRow::zero);
}

}  // namespace
}  // namespace jme
