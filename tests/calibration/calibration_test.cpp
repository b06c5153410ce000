#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/calibration/calibration.hpp>

namespace jme {
namespace {

using ::testing::HasSubstr;

constexpr RowModel vectors{.adjacency = Adjacency::replace_one, .dimension = 5, .norm_bound = 2};
constexpr RowModel removed{.adjacency = Adjacency::add_remove, .dimension = 5, .norm_bound = 2};
constexpr double sigma = 1.7;
// sigma times a few roundings, plus the 16 units that calibrate() adds on purpose.
constexpr double rounding = 2.1e-12;  // both are raised by 2e-12, and a few roundings

CalibrationRequest request(Method method, const RowModel& rows = vectors) {
  return {.method = method, .sigma = sigma, .rows = rows, .exposure = single_exposure({9, 4}, {16, 1})};
}
constexpr double zeta = 2;
constexpr double a = 3;
constexpr double b = 4;

void expect_pair(const Calibration& calibration, double first, double second) {
  EXPECT_NEAR(calibration.std_first, first, rounding * first);
  EXPECT_NEAR(calibration.std_second, second, rounding * second);
}

// The table of docs/theory/calibration.md#methods, row by row.
TEST(Calibration, OfJmeGivesTheSecondMomentForFree) {
  const double lambda = a * a / (2 * zeta * zeta * b * b);
  const Calibration jme = calibrate(request(Method::jme));
  EXPECT_NEAR(jme.lambda, lambda, rounding * lambda);
  expect_pair(jme, sigma * 2 * zeta * a, sigma * 2 * zeta * a / std::sqrt(lambda));
  EXPECT_EQ(calibrate(request(Method::pp)).std_first, jme.std_first);
}

TEST(Calibration, OfJmeForScalarsHasItsOwnLambda) {
  CalibrationRequest scalar = request(Method::jme);
  scalar.rows.dimension = 1;
  const double lambda = (11 + 5 * std::sqrt(5)) / 8 * a * a / (zeta * zeta * b * b);
  expect_pair(calibrate(scalar), sigma * 2 * zeta * a, sigma * 2 * zeta * a / std::sqrt(lambda));
}

TEST(Calibration, OfLambdaJmeIsTheJointSensitivity) {
  CalibrationRequest given = request(Method::lambda_jme);
  given.lambda = 0.7;
  const double nu = 0.7 * zeta * zeta * b * b / (a * a);
  const double s = zeta * a * std::sqrt(2 + 2 * nu + 1 / (2 * nu));
  expect_pair(calibrate(given), sigma * s, sigma * s / std::sqrt(0.7));
  EXPECT_EQ(calibrate(given).lambda, 0.7);
  given.method = Method::jme;  // a given lambda makes it the same method
  expect_pair(calibrate(given), sigma * s, sigma * s / std::sqrt(0.7));
}

TEST(Calibration, OfLambdaJmeBalancesByDefault) {
  const double lambda = a * a / (zeta * zeta * b * b);
  const double s = zeta * a * std::sqrt(4.5);
  expect_pair(calibrate(request(Method::lambda_jme)), sigma * s, sigma * s / std::sqrt(lambda));
  const double s_removed = zeta * a * std::sqrt(2.0);
  expect_pair(calibrate(request(Method::lambda_jme, removed)), sigma * s_removed,
              sigma * s_removed / std::sqrt(lambda));
}

TEST(Calibration, OfImeSharesTheBudget) {
  CalibrationRequest ime = request(Method::ime);
  ime.alpha = 0.2;
  expect_pair(calibrate(ime), sigma / std::sqrt(0.2) * 2 * zeta * a,
              sigma / std::sqrt(0.8) * std::sqrt(2.0) * zeta * zeta * b);
  ime.rows.dimension = 1;
  expect_pair(calibrate(ime), sigma / std::sqrt(0.2) * 2 * zeta * a,
              sigma / std::sqrt(0.8) * zeta * zeta * b);
  ime.rows = removed;
  expect_pair(calibrate(ime), sigma / std::sqrt(0.2) * zeta * a, sigma / std::sqrt(0.8) * zeta * zeta * b);
}

TEST(Calibration, OfCsUsesTheBallsDiameterAndTheColumnNorm) {
  CalibrationRequest cs = request(Method::cs);
  cs.exposure = single_exposure({9, 4}, {9, 4});
  const double s = 2 * zeta * std::sqrt(2.0) * a;  // tau = 1/zeta^2
  expect_pair(calibrate(cs), sigma * s, sigma * s * zeta);
  cs.tau = 3;
  const double s3 = 2 * zeta * std::sqrt(1 + 3 * zeta * zeta) * a;
  expect_pair(calibrate(cs), sigma * s3, sigma * s3 / std::sqrt(3.0));
  cs.rows = removed;
  expect_pair(calibrate(cs), sigma * s3 / 2, sigma * s3 / 2 / std::sqrt(3.0));
  EXPECT_EQ(calibrate(cs).lambda, 3);
}

TEST(Calibration, WithoutASecondMomentSpendsAllOnTheFirst) {
  for (Method method :
       {Method::jme, Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    for (const RowModel& rows : {vectors, removed}) {
      CalibrationRequest first = request(method, rows);
      first.second = SecondMoment::none;
      const double factor = rows.adjacency == Adjacency::replace_one ? 2 : 1;
      expect_pair(calibrate(first), sigma * factor * zeta * a, 0);
      EXPECT_EQ(calibrate(first).lambda, 0);
    }
  }
}

TEST(Calibration, IsTheSameForTheDiagonalAndTheFullMatrix) {
  for (Method method : {Method::jme, Method::lambda_jme, Method::ime, Method::cs}) {
    CalibrationRequest full = request(method);
    CalibrationRequest diagonal = full;
    diagonal.second = SecondMoment::diagonal;
    EXPECT_EQ(calibrate(full).std_first, calibrate(diagonal).std_first);
    EXPECT_EQ(calibrate(full).std_second, calibrate(diagonal).std_second);
  }
}

TEST(Calibration, TradesLikeImeUnderAddRemove) {
  // docs/theory/calibration.md#why-the-second-moment-is-free: nothing is free there, and lambda-JME's curve
  // is IME's: alpha = 1/(1 + nu).
  const double nu = 0.6;
  CalibrationRequest joint = request(Method::lambda_jme, removed);
  joint.lambda = nu * a * a / (zeta * zeta * b * b);
  CalibrationRequest ime = request(Method::ime, removed);
  ime.alpha = 1 / (1 + nu);
  expect_pair(calibrate(joint), calibrate(ime).std_first, calibrate(ime).std_second);
}

TEST(Calibration, BeatsImeAtEqualFirstMomentByThePrintedFactor) {
  // docs/theory/calibration.md#why-the-second-moment-is-free: the ratio of second-moment variances, JME over
  // IME, is (1 - 1/(2v))^2 at equal first.
  for (double nu : {0.75, 1.0, 3.0}) {
    CalibrationRequest joint = request(Method::lambda_jme);
    joint.lambda = nu * a * a / (zeta * zeta * b * b);
    const Calibration jme = calibrate(joint);
    CalibrationRequest ime = request(Method::ime);
    ime.alpha = 4 / joint_gain(Adjacency::replace_one, 5, nu);
    const Calibration two = calibrate(ime);
    EXPECT_NEAR(two.std_first, jme.std_first, rounding * jme.std_first);
    const double ratio = std::pow(jme.std_second / two.std_second, 2);
    EXPECT_NEAR(ratio, std::pow(1 - 1 / (2 * nu), 2), 1e-13) << nu;
  }
}

TEST(Calibration, AddsTheRoundingSlackOfBothChannels) {
  CalibrationRequest plain = request(Method::lambda_jme);
  plain.lambda = 0.7;
  CalibrationRequest slack = plain;
  slack.slack = {.first = 0.01, .second = 0.02};
  // Five values and 25 products, each of which may move by as much.
  const double first = 0.01 * std::sqrt(5.0), second = 0.02 * 5;
  EXPECT_NEAR(calibrate(slack).sensitivity,
              calibrate(plain).sensitivity + first * a + std::sqrt(0.7) * second * b, 1e-10);

  slack.method = Method::cs;
  slack.tau = 0.5;
  CalibrationRequest cs = slack;
  cs.slack = {};
  EXPECT_NEAR(calibrate(slack).sensitivity,
              calibrate(cs).sensitivity + first * a + std::sqrt(0.5) * second * b, 1e-10);

  slack.method = Method::ime;
  expect_pair(calibrate(slack), sigma / std::sqrt(0.5) * (2 * zeta * a + first * a),
              sigma / std::sqrt(0.5) * (std::sqrt(2.0) * zeta * zeta * b + second * b));
  slack.method = Method::pp;
  expect_pair(calibrate(slack), sigma * (2 * zeta * a + first * a), 0);
}

TEST(Calibration, CarriesTheSlackThroughAllBlocksOfAPerson) {
  // Two touched blocks of an identity: the roundings of both add in squares.
  CalibrationRequest two = request(Method::pp);
  two.exposure = {.patterns = {{{.first = 1, .second = 1}, {.first = 1, .second = 1}}}, .blocks_touched = 2};
  two.slack.first = 0.01;
  EXPECT_NEAR(calibrate(two).sensitivity, (2 * zeta + 0.01 * std::sqrt(5.0)) * std::sqrt(2.0), 1e-10);
}

TEST(Calibration, ExplainsThatNothingIsFreeUnderAddRemove) {
  try {
    (void)calibrate(request(Method::jme, removed));
    FAIL();
  } catch (const InvalidParameter& error) {
    EXPECT_THAT(error.what(), HasSubstr("lambda: must be given"));
    EXPECT_THAT(error.what(), HasSubstr("add-remove"));
  }
  CalibrationRequest given = request(Method::jme, removed);
  given.lambda = 1;
  const double s = zeta * std::sqrt(a * a + zeta * zeta * b * b);
  expect_pair(calibrate(given), sigma * s, sigma * s);
}

TEST(Calibration, RefusesParametersOutsideTheirRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double bad : {0.0, -1.0, infinity, std::nan("")}) {
    CalibrationRequest wrong = request(Method::jme);
    wrong.sigma = bad;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
    wrong = request(Method::lambda_jme);
    wrong.lambda = bad;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
    wrong = request(Method::cs);
    wrong.tau = bad;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
    wrong = request(Method::jme);
    wrong.rows.norm_bound = bad;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
  }
  for (double bad : {0.0, 1.0, -0.5, 2.0, std::nan("")}) {
    CalibrationRequest wrong = request(Method::ime);
    wrong.alpha = bad;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
  }
  for (double bad : {-1e-9, infinity, std::nan("")}) {
    CalibrationRequest wrong = request(Method::jme);
    wrong.slack.second = bad;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
  }
  for (Method method : {Method::jme, Method::ime, Method::cs}) {
    CalibrationRequest wrong = request(method);
    wrong.exposure = {};
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
    wrong.exposure = single_exposure({1}, {0});
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
    wrong = request(method);
    wrong.rows.dimension = 0;
    EXPECT_THROW((void)calibrate(wrong), InvalidParameter);
  }
}

}  // namespace
}  // namespace jme
