// The tutorial's comparison with exact answers, on a made-up file with the columns of the real one.
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

class ExactComparison : public InDirectory {
 protected:
  static constexpr const char* python = "/usr/bin/python3";  // Debian's own, which has numpy
  static std::string script(const std::string& name) {
    return std::string(JME_SOURCE_DIR) + "/docs/tutorial/" + name;
  }
};

TEST_F(ExactComparison, MakesItsTableFromASyntheticFile) {
  const CommandResult made = execute(python, {script("synthetic_air_quality.py"), "--rows", "12345"},
                                     {.output_file = path("air.csv")});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::vector<std::string> compare{
      script("compare_with_exact.py"), path("air.csv"), "--jme", binary(), "--runs", "2"};
  const CommandResult result = execute(python, compare + std::vector<std::string>{"--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json table = result.json()["table"];
  EXPECT_EQ(result.json()["rows"], 12345);
  EXPECT_EQ(table.size(), 6U);
  for (const auto& [name, by_time] : table.items()) {
    EXPECT_EQ(by_time.size(), 3U) << name;
    for (const std::string t : {"1000", "10000", "12345"})
      EXPECT_TRUE(by_time[t]["error"].is_number()) << name;
  }
  // Twelve Gaussian numbers of the size that was promised: their root mean square is four times that with
  // probability 1e-30. Two cells in a hundred are missing, and those of the first thousand rows were filled
  // with the centre: 0.02 * 1000/12345 of a distance of at most five means.
  const double error = table["mean (relative)"]["12345"]["error"];
  const double noise = table["mean (relative)"]["12345"]["noise"];
  EXPECT_LT(error, 4 * noise + 0.01);
  EXPECT_GT(error, noise / 100);
  const CommandResult printed = execute(python, compare);
  EXPECT_THAT(printed.out,
              testing::StartsWith("| error (noise) | t = 1,000 | t = 10,000 | t = 12,345 |\n|---|"));
  EXPECT_THAT(printed.out, testing::HasSubstr("| regression of PM2.5 (relative) | "));
}

TEST_F(ExactComparison, RefusesTimesWithoutARelease) {
  ASSERT_EQ(execute(python, {script("synthetic_air_quality.py"), "--rows", "3000"},
                    {.output_file = path("air.csv")})
                .code,
            0);
  const CommandResult result =
      execute(python, {script("compare_with_exact.py"), path("air.csv"), "--jme", binary(), "--at", "1500"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("--at must count in 1000 rows"));
}

}  // namespace
}  // namespace jme::test
