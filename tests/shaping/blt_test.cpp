#include "shaping/blt.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/norms.hpp"
#include "shaping/coordinates.hpp"

namespace jme {
namespace {

const BltParameters example{.poles = {0.99, 0.8, 0.3}, .zeros = {0.95, 0.5, 0.1}};

TEST(BltCore, HasTheGeneratingFunctionOfItsPolesAndZeros) {
  const std::vector<double> coefficients = shaping::blt_core(example).coefficients(3000);
  const double x = 0.97;  // inside the radius of convergence; 3000 terms reach 0.97^3000 = 1e-40
  double sum = 0, power = 1, expected = 1;
  for (const double c : coefficients) {
    sum += c * power;
    power *= x;
  }
  for (std::size_t i = 0; i < 3; ++i) expected *= (1 - example.zeros[i] * x) / (1 - example.poles[i] * x);
  EXPECT_NEAR(sum / expected, 1, 1e-13);  // 3000 positive terms
}

TEST(BltCore, HasPositiveDecreasingCoefficients) {
  const std::vector<double> c = shaping::blt_core(example).coefficients(200);
  for (std::size_t k = 1; k < c.size(); ++k) {
    EXPECT_GT(c[k], 0);
    EXPECT_LT(c[k], c[k - 1]);
  }
}

TEST(BltCore, RefusesPolesAndZerosThatDoNotInterlace) {
  for (const BltParameters& bad :
       {BltParameters{{}, {}}, BltParameters{{0.9}, {}}, BltParameters{{0.9}, {0.95}},
        BltParameters{{1.0}, {0.5}}, BltParameters{{0.9}, {0.0}}, BltParameters{{0.9, 0.8}, {0.7, 0.6}},
        BltParameters{{std::nan("")}, {0.5}}}) {
    EXPECT_THROW((void)Shape::blt(bad), InvalidParameter);
    EXPECT_THROW((void)Shape::scaled_blt(ScaledBltParameters{.blt = bad}), InvalidParameter);
  }
}

TEST(ScaledBlt, RefusesSchedulesThatAreNotPositive) {
  for (const ScaledBltParameters& bad :
       {ScaledBltParameters{.blt = example, .start_offset = -1, .start_power = 1},
        ScaledBltParameters{.blt = example, .end_offset = 0, .end_power = 1},
        ScaledBltParameters{.blt = example, .start_power = std::nan("")}}) {
    EXPECT_THROW((void)Shape::scaled_blt(bad).filter(prefix(), Horizon(10)), InvalidParameter);
  }
}

TEST(ScaledBlt, IsRowsTimesToeplitzTimesInverseColumnNorms) {
  const ScaledBltParameters parameters{
      .blt = example, .start_offset = 0.5, .start_power = 0.3, .end_offset = 2, .end_power = 0.4};
  const std::size_t n = 40;
  const Eigen::MatrixXd c = Shape::scaled_blt(parameters).filter(prefix(), Horizon(n)).to_dense();
  const Eigen::MatrixXd t = Shape::blt(example).filter(prefix(), Horizon(n)).to_dense();
  Eigen::VectorXd rows(n);
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    const double time = static_cast<double>(i + 1);
    rows(i) = std::pow(time + 0.5, 0.3) * std::pow(static_cast<double>(n) - time + 2, 0.4);
  }
  const Eigen::MatrixXd scaled = rows.asDiagonal() * t;
  const Eigen::MatrixXd expected = scaled * scaled.colwise().norm().cwiseInverse().asDiagonal();
  EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ScaledBlt, ColumnsAreNeverLongerThanOneAndHardlyShorter) {
  for (const Workload& workload : {prefix(), mean(), decay(0.999)}) {
    for (const std::size_t n : {1ul, 2ul, 37ul, 1000ul, 30'000ul}) {
      const Filter c = Shape::scaled_blt(4).filter(workload, Horizon(n));
      for (const double squared : squared_column_norms(c)) {
        // Rounded up by 4 eps n in the norm: 3e-11 at n = 30,000; the check itself rounds by a few ulps.
        ASSERT_LE(squared, 1 + 1e-14);
        ASSERT_GE(squared, 1 - 1e-10);
      }
    }
  }
}

TEST(ScaledBlt, ReachesTheDesignsRegressionValue) {
  const ScaledBltParameters parameters{
      .blt = {.poles = {.990979489614793, .744585529648281}, .zeros = {.933443912788210, .307902921790450}},
      .start_power = -.9183037};
  const Horizon horizon(1000);
  const double rmse =
      shape_quality(mean().filter(horizon), Shape::scaled_blt(parameters).filter(mean(), horizon)).rmse;
  EXPECT_NEAR(rmse, .0551076, 5e-8);  // printed digits
}

TEST(Shape, WithItsParametersWrittenOutIsTheSameFilter) {
  const Horizon horizon(50);
  for (const char* name : {"blt:3", "scaled-blt:3"}) {
    const Shape shape = Shape::parse(name);
    EXPECT_FALSE(shape.blt_parameters().has_value());
    const Shape written = shape.with_parameters(mean(), horizon);
    ASSERT_TRUE(written.blt_parameters().has_value());
    EXPECT_EQ(written.blt_parameters()->blt.poles.size(), 3u);
    EXPECT_EQ(written.name(), name);
    // Also for a workload they were not made for: parameters given are parameters used.
    EXPECT_TRUE(written.filter(prefix(), horizon).to_dense() == shape.filter(mean(), horizon).to_dense());
  }
  EXPECT_FALSE(Shape::square_root().with_parameters(mean(), horizon).blt_parameters().has_value());
}

TEST(Coordinates, AreInverseToEachOther) {
  for (const double ceiling : {1.0, 0.995}) {
    const auto x = shaping::coordinates_of(example, ceiling);
    const BltParameters back = shaping::blt_from_coordinates(x, ceiling);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(back.poles[i], example.poles[i], 1e-14);
      EXPECT_NEAR(back.zeros[i], example.zeros[i], 1e-14);
    }
  }
}

TEST(Coordinates, OfAnyNumbersInterlace) {
  const std::vector<double> x{2, -7, 0.3, 1, -3, -8};
  EXPECT_NO_THROW(shaping::check_interlacing(shaping::blt_from_coordinates(x, 1)));
  EXPECT_NO_THROW(shaping::check_interlacing(shaping::blt_from_coordinates(x, 0.01)));
}

}  // namespace
}  // namespace jme
