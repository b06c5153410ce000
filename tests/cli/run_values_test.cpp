#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <zlib.h>

#include "command.hpp"
#include "dense_algebra.hpp"
#include "support/npy.hpp"

namespace jme::test {
namespace {

// At sigma = 1e-6 the noise is of the lattice's size, 2^-20 of the norm bound, so releases equal the exact
// moments to a few such units. Ten standard deviations of a weighted sum of fewer than 100 draws stay below
// this, in units of the norm bound (its square for second moments); a wrong factor, centre or weight is off
// by 1e-2 and more.
constexpr double close = 3e-4;

class RunValues : public InDirectory {
 protected:
  static constexpr int rows = 20;
  /// Temperatures and concentrations inside their bounds.
  static Eigen::MatrixXd table() {
    Eigen::MatrixXd x(rows, 2);
    for (int i = 0; i < rows; ++i) {
      x(i, 0) = 10 + 15 * std::sin(i);
      x(i, 1) = 4000 + 3000 * std::cos(2 * i);
    }
    return x;
  }
  static std::string csv(const Eigen::MatrixXd& x, const std::string& header,
                         const std::string& delimiter = ",") {
    std::string text = header.empty() ? "" : header + "\n";
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      for (Eigen::Index j = 0; j < x.cols(); ++j)
        text += (j > 0 ? delimiter : "") + nlohmann::json(x(i, j)).dump();
      text += '\n';
    }
    return text;
  }
  static Eigen::VectorXd vector(const nlohmann::json& array) {
    const auto values = array.get<std::vector<double>>();
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  static Eigen::MatrixXd matrix(const nlohmann::json& array) {
    Eigen::MatrixXd result(static_cast<Eigen::Index>(array.size()),
                           static_cast<Eigen::Index>(array[0].size()));
    for (std::size_t i = 0; i < array.size(); ++i)
      result.row(static_cast<Eigen::Index>(i)) = vector(array[i]).transpose();
    return result;
  }
  static void expect_close(const Eigen::MatrixXd& actual, const Eigen::MatrixXd& expected,
                           const Eigen::MatrixXd& unit) {
    ASSERT_EQ(actual.rows(), expected.rows());
    ASSERT_EQ(actual.cols(), expected.cols());
    EXPECT_LT((actual - expected).cwiseQuotient(unit).cwiseAbs().maxCoeff(), close) << actual << "\n\n"
                                                                                    << expected;
  }
  static Eigen::MatrixXd covariance(const Eigen::MatrixXd& x) {
    const Eigen::RowVectorXd mean = x.colwise().mean();
    return x.transpose() * x / static_cast<double>(x.rows()) - mean.transpose() * mean;
  }
  static Eigen::VectorXd half_width() { return Eigen::Vector2d(32.5, 5000); }
};

const std::string bounded = "run --sigma 1e-6 --rows 20 --bounds temp=-20:45,co=0:10000 ";
const std::string header = "temp,co";

TEST_F(RunValues, MeanAndCovarianceComeBackInNaturalUnits) {
  const Eigen::MatrixXd x = table();
  const CommandResult result = jme(bounded, {.input = csv(x, header)});
  ASSERT_EQ(result.code, 0) << result.err;
  const Eigen::VectorXd h = half_width();
  ASSERT_EQ(result.releases().size(), 20U);
  for (const auto& release : result.releases()) {
    const Eigen::MatrixXd seen = x.topRows(release["t"].get<int>());
    expect_close(vector(release["mean"]), seen.colwise().mean().transpose(), h);
    expect_close(matrix(release["covariance"]), covariance(seen), h * h.transpose());
  }
  EXPECT_NEAR(result.lines()[0]["configuration"]["norm_bound"], std::sqrt(2.0), 1e-15);
}

TEST_F(RunValues, SumsComeBackInNaturalUnits) {
  const Eigen::MatrixXd x = table();
  const CommandResult result =
      jme(bounded + "--workload prefix --emit first,second,mean", {.input = csv(x, header)});
  ASSERT_EQ(result.code, 0) << result.err;
  const Eigen::VectorXd h = half_width();
  const Eigen::VectorXd reach = h + Eigen::Vector2d(12.5, 5000);  // |x| <= |centre| + half width
  for (const auto& release : result.releases()) {
    const Eigen::MatrixXd seen = x.topRows(release["t"].get<int>());
    expect_close(vector(release["first"]), seen.colwise().sum().transpose(), h);
    expect_close(matrix(release["second"]), seen.transpose() * seen, reach * reach.transpose());
    expect_close(vector(release["mean"]), seen.colwise().mean().transpose(), h);
  }
}

TEST_F(RunValues, BlocksAndAPartialLastOneHaveTheSameMeans) {
  const Eigen::MatrixXd x = table();
  for (const std::string workload : {"mean", "decay:0.9", "window:9"}) {
    const std::string command = " --every 3 --emit mean --workload " + workload;
    const auto blocks = jme(bounded + command, {.input = csv(x, header)});
    ASSERT_EQ(blocks.code, 0) << workload << blocks.err;
    ASSERT_EQ(blocks.releases().size(), 7U);
    for (const auto& release : blocks.releases()) {
      const int t = release["t"];
      Eigen::VectorXd weights = Eigen::VectorXd::Ones(t);
      if (workload == "decay:0.9") {
        for (int i = 0; i < t; ++i) weights(i) = std::pow(0.9, t - 1 - i);
      }
      // A window moves by whole blocks: the partial last block is its third.
      if (workload == "window:9" && (t > 9)) weights.head(((t + 2) / 3 - 3) * 3).setZero();
      expect_close(vector(release["mean"]), x.topRows(t).transpose() * weights / weights.sum(), half_width());
    }
  }
}

TEST_F(RunValues, ValuesOutsideTheirBoundsAreClamped) {
  const CommandResult result = jme("run --sigma 1e-6 --rows 4 --bounds a=0:10 --emit mean",
                                   {.input = "a\n-5\n1e308\n-1e308\n4e-320\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<double> expected{0, 5, 10.0 / 3, 2.5};
  for (std::size_t t = 0; t < 4; ++t) EXPECT_NEAR(result.releases()[t]["mean"][0], expected[t], 5 * close);
}

TEST_F(RunValues, LongRowsAreClippedToTheNormBound) {
  const CommandResult result = jme("run --sigma 1e-6 --rows 3 --norm-bound 1 --workload prefix --emit first",
                                   {.input = "a,b\n3,4\n1e308,1e308\n0.1,0\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_close(vector(result.releases()[0]["first"]), Eigen::Vector2d(0.6, 0.8), Eigen::Vector2d::Ones());
  const double root = std::sqrt(0.5);
  expect_close(vector(result.releases()[2]["first"]), Eigen::Vector2d(0.7 + root, 0.8 + root),
               Eigen::Vector2d::Ones());
}

TEST_F(RunValues, ColumnsAreTakenByNameInTheGivenOrder) {
  const std::string text = "a,b,c\n1,2,3\n";
  const auto mean = [&](const std::string& flags) {
    const CommandResult result = jme("run --sigma 1e-6 --rows 1 --emit mean " + flags, {.input = text});
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  };
  EXPECT_EQ(mean("--columns c,a --norm-bound 10").lines()[0]["columns"], nlohmann::json({"c", "a"}));
  EXPECT_NEAR(mean("--columns c,a --norm-bound 10").releases()[0]["mean"][0], 3, 10 * close);
  // Bounds choose the columns where nothing else does; else they may come in any order.
  EXPECT_EQ(mean("--bounds c=0:4,a=0:4").lines()[0]["columns"], nlohmann::json({"c", "a"}));
  EXPECT_NEAR(mean("--columns a,c --bounds c=0:4,a=0:8").releases()[0]["mean"][1], 3, 8 * close);
  EXPECT_EQ(mean("--bounds c=0:4,a=0:4").lines()[0]["configuration"]["bounds"], "c=0:4,a=0:4");
  expect_refused(jme("run --sigma 1 --rows 1 --columns a,b --bounds a=0:1", {.input = text}), 2, "bounds");
  expect_refused(jme("run --sigma 1 --rows 1 --bounds a=1:0", {.input = text}), 2, "bounds");
  expect_refused(jme("run --sigma 1 --rows 1 --bounds a=0:inf", {.input = text}), 2, "bounds");
  expect_refused(jme("run --sigma 1 --rows 1 --bounds a", {.input = text}), 2, "bounds");
  expect_refused(jme("run --sigma 1 --rows 1 --norm-bound 1 --columns a,a", {.input = text}), 2, "columns");
  expect_refused(jme("run --sigma 1 --rows 1 --norm-bound 1 --columns a,,b", {.input = text}), 2, "columns");
  expect_refused(jme("run --sigma 1 --rows 1 --norm-bound 1 --columns a,z", {.input = text}), 2, "columns");
}

// If --no-header is forgotten, the cells of the first row become names: they must not reach the public
// metadata.
TEST_F(RunValues, AFirstRowTakenForAHeaderIsNotPublished) {
  const std::string text = "Alice,41.25,7.5\nBob,3,4\n";
  const std::string flags = "run --sigma 1 --rows 2 --norm-bound 1 ";
  const CommandResult chosen = jme(flags + "--columns 2,3", {.input = text});
  EXPECT_THAT(chosen.out + chosen.err, testing::Not(testing::HasSubstr("41.25")));
  const CommandResult all = jme(flags, {.input = "41.25,7.5\n3,4\n"});
  EXPECT_EQ(all.code, 3);
  EXPECT_THAT(all.out + all.err, testing::Not(testing::HasSubstr("41.25")));
}

TEST_F(RunValues, ABadRowCountsAsTheMiddleOfTheBoundsAndOnlyTheWriterLearnsIt) {
  const std::string flags =
      "run --sigma 1e-6 --rows 3 --bounds a=0:10 --emit mean --insecure-test-seed 1 --on-bad-row zero";
  const CommandResult bad = jme(flags, {.input = "a\n9\nnonsense\n9\n"});
  const CommandResult middle = jme(flags, {.input = "a\n9\n5\n9\n"});
  EXPECT_EQ(bad.code, 0);
  EXPECT_EQ(bad.out, middle.out);
  EXPECT_THAT(bad.err, testing::HasSubstr("1 bad row"));
}

TEST_F(RunValues, AllFormatsGiveTheSameReleases) {
  const Eigen::MatrixXd x = table();
  const std::string flags =
      "run --epsilon 1 --delta 1e-6 --rows 20 --norm-bound 5000 --insecure-test-seed 3 ";
  const std::vector<nlohmann::json> expected = jme(flags + file("x.csv", csv(x, header))).releases();
  ASSERT_EQ(expected.size(), 20U);
  const auto same = [&](const std::string& more, const std::string& input = "") {
    const CommandResult result = jme(flags + more, {.input = input});
    EXPECT_EQ(result.code, 0) << more << ": " << result.err;
    EXPECT_EQ(result.releases(), expected) << more;
  };
  same("-", csv(x, header));
  same("--no-header --dimension 2", csv(x, ""));
  same("--no-header --columns 1,2", csv(x, ""));
  same("--delimiter ;", csv(x, "temp;co", ";"));
  same("--delimiter tab", csv(x, "temp\tco", "\t"));
  write_npy_matrix(path("x.npy"), x);
  same(path("x.npy"));
  same("--format npy -", read_text(path("x.npy")));
  std::string ndjson;
  for (int i = 0; i < rows; ++i) ndjson += nlohmann::json{{"temp", x(i, 0)}, {"co", x(i, 1)}}.dump() + "\n";
  same("--columns temp,co " + file("x.ndjson", ndjson));
  same("--columns temp,co --format ndjson", ndjson);
  std::string crlf = csv(x, header);
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
    crlf.replace(at, 1, "\r\n");
  same("", "\xef\xbb\xbf" + crlf);
  const std::string zipped = path("x.csv.gz");
  gzFile archive = gzopen(zipped.c_str(), "wb");
  const std::string text = csv(x, header);
  ASSERT_EQ(gzwrite(archive, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(archive);
  same(zipped);
}

// Subtracting the square of a noisy mean takes its variance away once: removing the bias adds it back
// (docs/theory/errors.md#running-covariance).
TEST_F(RunValues, RawKeepsTheBiasOfTheCovariance) {
  const std::string flags = "run --sigma 1 --rows 20 --norm-bound 5000 --insecure-test-seed 3 ";
  const auto debiased = jme(flags, {.input = csv(table(), header)}).releases();
  const auto raw = jme(flags + "--raw", {.input = csv(table(), header)}).releases();
  for (std::size_t i = 0; i < debiased.size(); ++i) {
    const Eigen::MatrixXd difference = matrix(debiased[i]["covariance"]) - matrix(raw[i]["covariance"]);
    const double variance = std::pow(debiased[i]["noise_std"]["mean"][0].get<double>(), 2);
    EXPECT_NEAR(difference(0, 0), variance, 1e-9 * variance);
    EXPECT_NEAR(difference(0, 1), 0, 1e-9 * variance);
  }
}

TEST_F(RunValues, PsdProjectsTheCovariance) {
  const std::string flags = "run --sigma 1 --rows 20 --bounds temp=-20:45,co=0:10000 --insecure-test-seed 3 ";
  const auto plain = jme(flags, {.input = csv(table(), header)}).releases();
  const auto projected = jme(flags + "--psd", {.input = csv(table(), header)}).releases();
  int negative = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto least = [](const Eigen::MatrixXd& m) { return test::eigenvalues(m)(0); };
    const Eigen::MatrixXd before = matrix(plain[i]["covariance"]), after = matrix(projected[i]["covariance"]);
    EXPECT_GE(least(after), -1e-9 * after.norm());
    if (least(before) < 0) {
      ++negative;
    } else {
      EXPECT_LT((before - after).norm(), 1e-12 * before.norm());
    }
    EXPECT_EQ(plain[i]["mean"], projected[i]["mean"]);
  }
  EXPECT_GT(negative, 0) << "the noise of this seed never left the cone: the test shows nothing";
}

TEST_F(RunValues, ADiagonalSecondMomentIsAVector) {
  const Eigen::MatrixXd x = table();
  const CommandResult result = jme(bounded + "--second diagonal", {.input = csv(x, header)});
  ASSERT_EQ(result.code, 0) << result.err;
  const Eigen::VectorXd h = half_width();
  // Variances by default, as the full second moment's default is the covariance.
  const auto last = result.releases().back();
  expect_close(vector(last["covariance"]), covariance(x).diagonal(), h.cwiseAbs2());
  EXPECT_EQ(last["noise_std"]["covariance"].size(), 2U);
  EXPECT_EQ(last.size(), 4U);
  const auto second =
      jme(bounded + "--second diagonal --emit second", {.input = csv(x, header)}).releases().back();
  const Eigen::Vector2d reach(45, 10000);
  expect_close(vector(second["second"]), x.cwiseAbs2().colwise().mean().transpose(), reach.cwiseAbs2());
  EXPECT_EQ(second["noise_std"]["second"].size(), 2U);
  const auto none = jme(bounded + "--second none", {.input = csv(x, header)}).releases().back();
  EXPECT_FALSE(none.contains("covariance"));
  EXPECT_TRUE(none.contains("mean"));
}

TEST_F(RunValues, AWorkloadMayBeAMatrix) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3, 3);
  a << 1, 0, 0, 2, 1, 0, 0, 0, 3;
  write_npy_matrix(path("a.npy"), a);
  const CommandResult result = jme(
      "run --sigma 1e-6 --rows 3 --norm-bound 1 --emit first --shape identity --workload @" + path("a.npy"),
      {.input = "x\n0.1\n0.2\n0.3\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(result.releases()[1]["first"][0], 0.4, close);
  EXPECT_NEAR(result.releases()[2]["first"][0], 0.9, close);
  EXPECT_EQ(result.lines()[0]["configuration"]["workload"], "@" + path("a.npy"));
}

}  // namespace
}  // namespace jme::test
