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

}  // namespace
}  // namespace jme
