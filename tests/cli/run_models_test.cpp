// What `jme run --emit` says about models: the shapes the interface promises, values against direct
// computation from the rows, and what is refused.
#include <cmath>

#include <Eigen/Core>
#include <gmock/gmock.h>

#include "command.hpp"
#include "dense_algebra.hpp"
#include "support/npy.hpp"

namespace jme::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RunModels : public InDirectory {
 protected:
  static constexpr int rows = 40;
  static Eigen::MatrixXd table() {
    Eigen::MatrixXd x(rows, 3);
    for (int i = 0; i < rows; ++i) {
      const double a = std::sin(i), b = std::cos(2.3 * i), c = std::sin(5.1 * i + 1);
      x.row(i) << 12 + 20 * a, 50 - 20 * a + 18 * b, 5000 + 1500 * b + 3000 * c;
    }
    return x;
  }
  static std::string csv(const Eigen::MatrixXd& x, const std::string& header = "temp,hum,co") {
    std::string text = header + "\n";
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      for (Eigen::Index j = 0; j < x.cols(); ++j) text += (j > 0 ? "," : "") + json(x(i, j)).dump();
      text += '\n';
    }
    return text;
  }
  static Eigen::VectorXd vector(const json& array) {
    const auto values = array.get<std::vector<double>>();
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  static Eigen::MatrixXd matrix(const json& array) {
    Eigen::MatrixXd result(static_cast<Eigen::Index>(array.size()),
                           static_cast<Eigen::Index>(array[0].size()));
    for (std::size_t i = 0; i < array.size(); ++i)
      result.row(static_cast<Eigen::Index>(i)) = vector(array[i]).transpose();
    return result;
  }
  static Eigen::MatrixXd covariance(const Eigen::MatrixXd& x) {
    const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
    return centred.transpose() * centred / static_cast<double>(x.rows());
  }
};

const std::string bounds = "--bounds temp=-20:45,hum=0:100,co=0:10000 ";
// Noise of the lattice's size: values agree with the rows' own to about 1e-4 of a standard deviation's scale.
const std::string exact = "run --sigma 1e-6 --rows 40 --every 40 " + bounds;
const std::string every_model = "--emit mean,covariance,correlation,precision,pca:2,regression:co,density ";

// The shape of a value without its numbers; names inside a value have no noise. Noise without a finite
// deviation is null (shares of a whole that came out as 0).
json shape(const json& value) {
  if (value.is_number() || value.is_null()) return 0;
  json result = value.is_array() ? json::array() : json::object();
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_string()) continue;
    if (value.is_array()) {
      result.push_back(shape(inner));
    } else {
      result[key] = shape(inner);
    }
  }
  return result;
}

TEST_F(RunModels, EveryValueHasItsNoiseInTheSameShape) {
  const CommandResult result = jme(
      "run --epsilon 1 --delta 1e-6 --rows 40 --every 10 " + bounds + every_model, {.input = csv(table())});
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(result.releases().size(), 4U);
  for (const json& release : result.releases()) {
    EXPECT_EQ(release.size(), 9U);
    EXPECT_EQ(release["noise_std"].size(), 7U);
    for (const auto& [key, noise] : release["noise_std"].items()) {
      EXPECT_EQ(release[key].dump().find("null"), std::string::npos) << key;
      EXPECT_EQ(shape(release[key]), shape(noise)) << key;
    }
  }
  const json last = result.releases().back();
  EXPECT_EQ(last["pca"]["values"].size(), 2U);
  EXPECT_EQ(last["pca"]["components"].size(), 2U);
  EXPECT_EQ(last["pca"]["components"][0].size(), 3U);
  EXPECT_EQ(last["regression"]["target"], "co");
  EXPECT_EQ(last["regression"]["coefficients"].size(), 2U);
  EXPECT_EQ(last["density"].size(), 3U);
  EXPECT_EQ(result.lines()[0]["configuration"]["emit"],
            json({"mean", "covariance", "correlation", "precision", "pca:2", "regression:co", "density"}));
}

TEST_F(RunModels, ValuesAreTheRowsOwnWithoutNoise) {
  const Eigen::MatrixXd x = table(), c = covariance(x);
  const CommandResult result = jme(exact + every_model, {.input = csv(x)});
  ASSERT_EQ(result.code, 0) << result.err;
  const json release = result.releases().at(0);
  const Eigen::VectorXd deviation = c.diagonal().cwiseSqrt();
  // Rows are snapped to 2^-20 sqrt3 half-widths and carry noise of that size: 1e-5 of the deviations here,
  // amplified by condition numbers below 50.
  constexpr double close = 1e-3;
  const Eigen::MatrixXd correlation =
      deviation.cwiseInverse().asDiagonal() * c * deviation.cwiseInverse().asDiagonal();
  EXPECT_LT((matrix(release["correlation"]) - correlation).cwiseAbs().maxCoeff(), close);
  const Eigen::MatrixXd scaled =
      deviation.asDiagonal() * (matrix(release["precision"]) - test::inverse(c)) * deviation.asDiagonal();
  EXPECT_LT(scaled.cwiseAbs().maxCoeff(), close * test::inverse(correlation).norm());

  const test::Eigenpairs parts = test::eigenpairs(c);
  const Eigen::MatrixXd components = matrix(release["pca"]["components"]);
  for (int i = 0; i < 2; ++i) {
    const double value = parts.values(2 - i);
    EXPECT_NEAR(release["pca"]["values"][static_cast<std::size_t>(i)], value, close * value);
    EXPECT_NEAR(std::abs(components.row(i).dot(parts.vectors.col(2 - i))), 1, close * close);
  }

  const Eigen::Vector2d coefficients = test::solve(c.topLeftCorner(2, 2), c.topRightCorner(2, 1));
  const Eigen::RowVectorXd mean = x.colwise().mean();
  EXPECT_LT((vector(release["regression"]["coefficients"]) - coefficients)
                .cwiseQuotient(coefficients)
                .cwiseAbs()
                .maxCoeff(),
            close);
  EXPECT_NEAR(release["regression"]["intercept"], mean(2) - mean.head(2).dot(coefficients), 5000 * close);

  EXPECT_NEAR(release["density"]["log_det"], std::log(test::determinant(c)), 3 * close);
  EXPECT_EQ(release["density"]["mean"], release["mean"]);
  EXPECT_EQ(release["density"]["covariance"], release["covariance"]) << "nothing to project here";
}

TEST_F(RunModels, DerivedValuesFollowFromTheOnesBesideThem) {
  const CommandResult result =
      jme("run --epsilon 1 --delta 1e-6 --rows 40 " + bounds +
              "--emit covariance,correlation,precision,pca:3,density --insecure-test-seed 4",
          {.input = csv(table())});
  ASSERT_EQ(result.code, 0) << result.err;
  int indefinite = 0;
  for (const json& release : result.releases()) {
    // A reader can redo pca from the covariance, and precision and correlation from the density.
    const Eigen::VectorXd eigenvalues = test::eigenvalues(matrix(release["covariance"]));
    const Eigen::VectorXd values = eigenvalues.reverse().cwiseMax(0);
    EXPECT_LT((vector(release["pca"]["values"]) - values).norm(), 1e-9 * values.norm());
    EXPECT_LT((vector(release["pca"]["shares"]) - values / std::max(values.sum(), 1e-300)).norm(), 1e-9);
    if (eigenvalues(0) < 0) ++indefinite;
    const Eigen::MatrixXd definite = matrix(release["density"]["covariance"]);
    const Eigen::VectorXd scale = definite.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd correlation = scale.asDiagonal() * definite * scale.asDiagonal();
    EXPECT_LT((matrix(release["correlation"]) - correlation).norm(), 1e-9);
    EXPECT_LE(matrix(release["correlation"]).cwiseAbs().maxCoeff(), 1);
    EXPECT_GT(test::eigenvalues(correlation)(0), 0);
    const Eigen::MatrixXd one = matrix(release["precision"]) * definite;
    EXPECT_LT((one - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(release["density"]["log_det"], std::log(test::determinant(definite)), 1e-6);
  }
  EXPECT_GT(indefinite, 0) << "the noise of this seed never left the cone: the test shows less";
}

TEST_F(RunModels, NoComponentTurnsItsBackBetweenReleases) {
  const CommandResult result =
      jme("run --sigma 0.02 --rows 40 " + bounds + "--emit pca:3 --insecure-test-seed 2",
          {.input = csv(table())});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto releases = result.releases();
  int alike = 0;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const Eigen::MatrixXd now = matrix(releases[i]["pca"]["components"]);
    EXPECT_LT((now * now.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-9);
    if (i == 0) {
      for (int k = 0; k < 3; ++k) EXPECT_GT(now.row(k).maxCoeff(), -now.row(k).minCoeff());
      continue;
    }
    const Eigen::MatrixXd before = matrix(releases[i - 1]["pca"]["components"]);
    for (int k = 0; k < 3; ++k) {
      Eigen::Index match = 0;
      const Eigen::VectorXd products = before * now.row(k).transpose();
      const double most = products.cwiseAbs().maxCoeff(&match);
      // Beyond sqrt(1/2) no other component can be more alike, so the pairing is certain.
      if (most < 0.71) continue;
      ++alike;
      EXPECT_GT(products(match), 0) << "release " << i << ", component " << k;
    }
  }
  EXPECT_GT(alike, 60) << "too few matched components to show anything";
}

TEST_F(RunModels, ARegressionFindsItsColumnByNameOrNumber) {
  const auto target = [&](const std::string& emit) {
    const CommandResult result =
        jme(exact + "--insecure-test-seed 1 --emit " + emit, {.input = csv(table())});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.releases().at(0);
  };
  EXPECT_EQ(target("regression:hum")["regression"]["target"], "hum");
  EXPECT_EQ(target("regression:2")["regression"], target("regression:hum")["regression"]);
  const json two = target("regression:hum,regression:temp");
  EXPECT_EQ(two["regression:hum"]["target"], "hum");
  EXPECT_EQ(two["regression:temp"]["target"], "temp");
  EXPECT_EQ(two["noise_std"]["regression:temp"]["coefficients"].size(), 2U);
}

TEST_F(RunModels, AnUnknownColumnIsAnsweredWithThoseThereAre) {
  const std::string flags = "run --sigma 1 --norm-bound 1 --rows 40 --emit ";
  expect_refused(jme(flags + "regression:NOX", {.input = csv(table())}), 2,
                 "emit = regression:NOX: must be regression:COLUMN with one of the 3 columns: temp, hum, co");
  expect_refused(jme(flags + "regression:4", {.input = csv(table())}), 2, "temp, hum, co");
  expect_refused(jme(flags + "pca:4", {.input = csv(table())}), 2, "at most 3, the number of columns");
  expect_refused(jme(flags + "regression:temp --columns temp", {.input = csv(table())}), 2,
                 "no other column");
  // Where the flags name the columns, the file is not even opened.
  expect_refused(jme(flags + "regression:NOX --columns temp,hum " + path("missing.csv")), 2, "temp, hum");
  expect_refused(jme(flags + "regression:NOX --dry-run --dimension 2"), 2, "2 columns: 1, 2");
}

TEST_F(RunModels, FlagsThatChangeNothingAreNoted) {
  const std::string flags = "run --sigma 1 --norm-bound 1 --rows 40 --every 40 ";
  EXPECT_THAT(jme(flags + "--psd --emit mean", {.input = csv(table())}).err, HasSubstr("note: --psd"));
  EXPECT_THAT(jme(flags + "--psd --emit density", {.input = csv(table())}).err, HasSubstr("note: --psd"));
  EXPECT_THAT(jme(flags + "--raw --emit mean", {.input = csv(table())}).err, HasSubstr("note: --raw"));
  EXPECT_EQ(jme(flags + "--raw --emit density", {.input = csv(table())}).err, "");
  EXPECT_EQ(jme(flags + "--psd --emit covariance", {.input = csv(table())}).err, "");
}

TEST_F(RunModels, PsdKeepsVariancesOfTheDiagonalAboveZero) {
  const std::string flags =
      "run --epsilon 1 --delta 1e-6 --rows 40 --second diagonal --insecure-test-seed 1 " + bounds;
  int negative = 0;
  const auto plain = jme(flags, {.input = csv(table())}).releases();
  const auto projected = jme(flags + "--psd", {.input = csv(table())}).releases();
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double before = plain[i]["covariance"][k], after = projected[i]["covariance"][k];
      EXPECT_EQ(after, std::max(before, 0.0));
      if (before < 0) ++negative;
    }
  }
  EXPECT_GT(negative, 0);
}

TEST_F(RunModels, AverageOfAMatrixWorkloadNeedsPositiveWeights) {
  // Row sums 1 and -1: the second release has no mean.
  Eigen::Matrix2d a;
  a << 1, 0, -2, 1;
  write_npy_matrix(path("a.npy"), a);
  const std::string flags =
      "run --sigma 1 --norm-bound 1 --rows 2 --shape identity --workload @" + path("a.npy");
  const std::string input = "x,y\n0.1,0.2\n0.3,0.4\n";
  EXPECT_EQ(jme(flags + " --emit first,second", {.input = input}).code, 0);
  expect_refused(jme(flags, {.input = input}), 2, "weights in release 2 do not sum to more than 0");
  // The message for a matrix that does not fit says so.
  const std::string other = "run --sigma 1 --norm-bound 1 --workload @" + path("a.npy");
  expect_refused(jme(other + " --rows 10", {.input = input}), 2, "is a matrix for 2 steps");
  expect_refused(jme(other + " --steps unbounded", {.input = input}), 2, "workload");
}

}  // namespace
}  // namespace jme::test
