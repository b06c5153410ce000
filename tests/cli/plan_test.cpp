#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

const std::string base = "plan --sigma 1 --rows 64 --dimension 3 --norm-bound 1 --workload prefix ";

TEST(PlanCommand, ListsEveryMethodAndRecommendsOne) {
  const auto object = jme(base + "--json").json();
  std::set<std::string> methods;
  for (const auto& candidate : object["candidates"]) {
    methods.insert(candidate["method"]);
    for (const char* key : {"method", "shape", "std_first", "std_second", "error_first", "error_second",
                            "rmse_first", "rmse_second", "state_vectors"}) {
      EXPECT_TRUE(candidate.contains(key)) << key;
    }
  }
  EXPECT_THAT(methods, testing::UnorderedElementsAre("jme", "lambda-jme", "ime", "cs", "pp", "pp-debiased"));
  const auto& recommended = object["recommended"];
  EXPECT_EQ(object["candidates"][recommended["index"].get<std::size_t>()]["method"], recommended["method"]);
  EXPECT_EQ(object["candidates"][recommended["index"].get<std::size_t>()]["shape"], recommended["shape"]);
}

TEST(PlanCommand, TakesTheDimensionAndTheGeometryFromTheBounds) {
  const std::string flags =
      "plan --methods --sigma 1 --rows 64 --workload prefix --method jme --shape identity --json ";
  EXPECT_EQ(jme(flags + "--bounds a=0:1,b=-5:5,c=2:3").json()["candidates"],
            jme(flags + "--dimension 3 --geometry box").json()["candidates"]);
  EXPECT_EQ(
      jme(flags + "--geometry ball --bounds a=0:1,b=-5:5,c=2:3").json()["candidates"],
      jme(flags + "--geometry ball --dimension 3 --norm-bound 1.7320508075688772").json()["candidates"]);
  EXPECT_EQ(jme(flags + "--bounds a=1:0").code, 2);
}

// Five bounded columns, identity, sigma 1: the box's ratios (docs/theory/geometry.md), up to rounding slack.
TEST(PlanCommand, KnowsTheNoiseOfTheBox) {
  const std::string flags =
      "plan --methods --sigma 1 --rows 64 --method jme --shape identity --json "
      "--bounds a=0:1,b=0:1,c=0:1,d=0:1,e=0:1 ";
  const auto complete = jme(flags).json()["recommended"];
  const double first = complete["std_first"];
  EXPECT_EQ(complete["geometry"], "box");
  EXPECT_NEAR(first, 2 * std::sqrt(5.0), 1e-4);
  EXPECT_NEAR(complete["std_diagonal"].get<double>(), first / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(complete["std_offdiagonal"].get<double>(), 2 * first, 1e-9);
  EXPECT_TRUE(complete["std_count"].is_null() && complete["std_pair_count"].is_null() &&
              complete["std_rows"].is_null());
  const auto counted = jme(flags + "--missing observed --private-count").json()["recommended"];
  EXPECT_NEAR(counted["std_diagonal"].get<double>(), first, 1e-4);
  EXPECT_NEAR(counted["std_count"].get<double>(), first * std::sqrt(2.0), 1e-4);
  EXPECT_NEAR(counted["std_pair_count"].get<double>(), first * std::sqrt(8.0), 1e-4);
  EXPECT_NEAR(counted["std_rows"].get<double>(), first / std::sqrt(3.75), 1e-4);
}

// JME with C = I, prefix sums, zeta = sigma = 1: std1 = 2, std2 = 2 sqrt2, sum of ||row||^2 = n(n+1)/2, and
// the matrix's N = d(d+1)/2 draws. Rounding to the lattice adds less than 1e-5.
TEST(PlanCommand, AgreesWithTheFormulas) {
  const auto object = jme(base + "--geometry ball --method jme --shape identity --json").json();
  ASSERT_EQ(object["candidates"].size(), 1U);
  const auto& candidate = object["candidates"][0];
  const double rows = 64 * 65 / 2.0;
  EXPECT_NEAR(candidate["std_first"], 2, 1e-5);
  EXPECT_NEAR(candidate["std_second"], 2 * std::sqrt(2.0), 1e-4);
  EXPECT_NEAR(candidate["error_first"], 3 * 4 * rows, 1e-4 * 3 * 4 * rows);
  EXPECT_NEAR(candidate["error_second"], 6 * 8 * rows, 1e-4 * 6 * 8 * rows);
  EXPECT_NEAR(candidate["rmse_first"], std::sqrt(candidate["error_first"].get<double>() / (64 * 3)), 1e-12);
  EXPECT_NEAR(candidate["rmse_second"], std::sqrt(candidate["error_second"].get<double>() / (64 * 9)), 1e-12);
}

TEST(PlanCommand, ListsOnlyWhatIsNamed) {
  const nlohmann::json of_method = jme(base + "--method ime --json").json()["candidates"];
  ASSERT_FALSE(of_method.empty());
  for (const auto& candidate : of_method) EXPECT_EQ(candidate["method"], "ime");
  const nlohmann::json of_shape = jme(base + "--shape sqrt --json").json()["candidates"];
  ASSERT_FALSE(of_shape.empty());
  for (const auto& candidate : of_shape) EXPECT_EQ(candidate["shape"], "sqrt");
}

TEST(PlanCommand, WritesATableThatMarksTheRecommended) {
  const CommandResult result = jme(base);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("rmse_second"));
  EXPECT_THAT(result.out, HasSubstr("\n*  "));
}

// docs/theory/sensitivity.md#the-best-lambda: nu = 1 costs the first moment 6.1% and improves the second by
// 25%.
TEST(PlanCommand, ShowsWhatEachBalanceCostsAndGains) {
  const std::string ball = base + "--geometry ball ";
  const auto balances = jme(ball + "--json").json()["balances"];
  ASSERT_EQ(balances.size(), 2U);
  EXPECT_EQ(balances[0]["balance"], "free");
  EXPECT_EQ(balances[1]["balance"], "balanced");
  const auto ratio = [&](const char* key) {
    return balances[1][key].get<double>() / balances[0][key].get<double>();
  };
  EXPECT_NEAR(ratio("rmse_first"), 1.061, 1e-3);
  EXPECT_NEAR(ratio("rmse_second"), 0.75, 1e-3);
  EXPECT_THAT(jme(ball).out, HasSubstr("costs it 6.1% and takes 25.0% off"));
  EXPECT_FALSE(jme(ball + "--json --method ime").json().contains("balances"));
}

TEST(PlanCommand, RecommendsACommandThatRuns) {
  const std::string marker = "Recommended: jme run FILE ";
  for (const std::string more : {"", "--balance 3", "--shape sqrt --method cs --tau 2",
                                 "--second diagonal --every 8", "--adjacency add-remove --lambda 0.5"}) {
    const CommandResult plan = jme(base + more);
    const std::size_t at = plan.out.find(marker);
    ASSERT_NE(at, std::string::npos) << plan.out << plan.err;
    const std::string flags =
        plan.out.substr(at + marker.size(), plan.out.find('\n', at) - at - marker.size());
    EXPECT_THAT(flags, HasSubstr("--rows 64"));
    const CommandResult run = jme(words("run - --no-header " + flags), {.input = "0.1,0.2,0.3\n"});
    EXPECT_EQ(run.code, 0) << flags << ": " << run.err;
    const auto object = jme(base + more + " --json").json()["recommended"];
    EXPECT_EQ(object["command"], "jme run FILE " + flags);
    EXPECT_EQ(run.lines()[0]["configuration"]["method"], object["method"]);
    EXPECT_EQ(run.lines()[0]["configuration"]["shape"], object["shape"]);
    EXPECT_DOUBLE_EQ(run.lines()[0]["configuration"]["std_second"], object["std_second"]);
  }
}

TEST(PlanCommand, SpendsABudgetOrANoiseMultiplierNotBoth) {
  const std::string rest = " --rows 64 --dimension 3 --norm-bound 1 --method jme --shape identity --json";
  const double sigma = jme("calibrate --epsilon 1 --delta 1e-6 --json").json()["sigma"];
  const auto planned = jme("plan --epsilon 1 --delta 1e-6" + rest).json();
  // A budget also covers snapping: there is never less noise, and at most 1% more.
  EXPECT_GE(planned["candidates"][0]["std_first"], 2 * sigma);
  EXPECT_LE(planned["candidates"][0]["std_first"], 2 * 1.0101 * sigma);
  expect_refused(jme("plan --epsilon 1 --delta 1e-6 --sigma 1" + rest), 2, "sigma: give either");
  expect_refused(jme("plan --epsilon 1" + rest), 2, "delta: must be given");
  expect_refused(jme("plan --delta 1e-6" + rest), 2, "epsilon: must be given");
  expect_refused(jme("plan" + rest), 2, "epsilon: must be given");
}

TEST(PlanCommand, ExplainsWhatIsMissing) {
  expect_refused(jme("plan --sigma 1 --dimension 3 --norm-bound 1"), 2, "horizon");
  expect_refused(jme("plan --sigma 1 --rows 10 --norm-bound 1"), 2, "dimension: must be given");
  expect_refused(jme("plan --sigma 1 --rows 10 --dimension 3"), 2, "bounds: must be given");
}

TEST(PlanCommand, RefusesParametersOutOfRange) {
  expect_refused(jme(base + "--alpha 1"), 2, "alpha = 1: must be in (0, 1)");
  expect_refused(jme(base + "--tau 0"), 2, "tau = 0: must be");
  expect_refused(jme(base + "--lambda 0"), 2, "lambda = 0: must be");
  expect_refused(jme(base + "--balance unfair"), 2, "balance = unfair: must be free, balanced or a weight");
  expect_refused(jme(base + "--balance -1"), 2, "balance = -1: must be");
  expect_refused(jme(base + "--balance 1 --lambda 1"), 2, "balance: give either");
  expect_refused(jme(base + "--method magic"), 2, "method = magic: must be");
  expect_refused(jme(base + "--second half"), 2, "second = half: must be");
  expect_refused(jme(base + "--participations 0"), 2, "participations = 0: must be");
  expect_refused(jme(base + "--separation 0"), 2, "separation = 0: must be");
  expect_refused(jme(base + "--every 0"), 2, "every = 0: must be");
  expect_refused(jme(base + "--threads 0"), 2, "threads = 0: must be");
  expect_refused(jme(base + "--max-state-vectors -1"), 2, "max-state-vectors = -1: must be");
  expect_refused(jme(base + "--steps 64"), 2, "rows: give either rows or steps");
}

TEST(PlanCommand, CsNeedsOneShape) {
  expect_refused(jme(base + "--method cs --shape identity --shape2 sqrt"), 2, "shape2");
}

TEST(PlanCommand, UnderAddRemoveJmeNeedsALambda) {
  expect_refused(jme(base + "--method jme --adjacency add-remove"), 2, "lambda");
  EXPECT_EQ(jme(base + "--method jme --adjacency add-remove --lambda 1 --json").code, 0);
}

TEST(PlanCommand, ABalanceWeightMovesTheTradeOff) {
  const auto at = [](const std::string& balance) {
    return jme(base + "--shape identity --json --balance " + balance).json()["candidates"][0];
  };
  EXPECT_LT(at("100")["std_second"], at("balanced")["std_second"]);
  EXPECT_LT(at("balanced")["std_second"], at("free")["std_second"]);
  EXPECT_GT(at("100")["std_first"], at("balanced")["std_first"]);
  // nu = 1: sensitivity sqrt(9/2) in place of 2 (docs/theory/sensitivity.md#the-best-lambda).
  EXPECT_NEAR(at("balanced")["std_first"], std::sqrt(4.5), 1e-5);
}

}  // namespace
}  // namespace jme::test
