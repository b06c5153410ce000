#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

#include "shaping/optimal_rmse.hpp"

namespace jme {
namespace {

using shaping::OptimalRmse;

void expect_the_tables_optimum(const OptimalRmse& entry) {
  const Eigen::MatrixXd a = entry.workload.filter(Horizon(entry.steps)).to_dense();
  const DenseOptimum optimum = dense_optimum(a);
  // The table's own gap is below 1e-5, ours below 1e-6.
  EXPECT_NEAR(optimum.rmse, entry.rmse, entry.half_digit + 1e-5 * entry.rmse) << entry.workload.name();
  EXPECT_LE(optimum.lower_bound, optimum.rmse);
  EXPECT_LE(optimum.rmse, optimum.lower_bound * (1 + 1.01e-6)) << entry.workload.name();
}

TEST(DenseOptimum, ReproducesTheTableAtAHundredSteps) {
  for (const OptimalRmse& entry : shaping::optimal_rmse) {
    if (entry.steps == 100) expect_the_tables_optimum(entry);
  }
}

TEST(SlowDenseOptimum, ReproducesTheTableAtAThousandSteps) {
  for (const OptimalRmse& entry : shaping::optimal_rmse) {
    const bool chosen = entry.workload.name() == "prefix" || entry.workload.name() == "mean";
    if (entry.steps == 1000 && chosen) expect_the_tables_optimum(entry);
  }
}

TEST(DenseOptimum, IsLowerTriangularWithColumnsOfNormOne) {
  const DenseOptimum optimum = dense_optimum(mean().filter(Horizon(60)).to_dense());
  EXPECT_EQ(Eigen::MatrixXd(optimum.c.triangularView<Eigen::StrictlyUpper>()).norm(), 0);
  // Norms of 60 numbers, divided out once: a few ulps.
  for (Eigen::Index j = 0; j < 60; ++j) EXPECT_NEAR(optimum.c.col(j).norm(), 1, 1e-15);
  const ShapeQuality quality = shape_quality(mean().filter(Horizon(60)), Filter::dense(optimum.c));
  EXPECT_NEAR(quality.rmse / optimum.rmse, 1, 1e-12);  // triangular solves, condition about 100
}

TEST(DenseOptimum, OfOneStepIsTheWorkloadItself) {
  const DenseOptimum optimum = dense_optimum(Eigen::MatrixXd::Constant(1, 1, 3.0));
  EXPECT_NEAR(optimum.rmse, 3, 1e-15);
  EXPECT_NEAR(optimum.c(0, 0), 1, 1e-15);
}

TEST(DenseOptimum, OfTheIdentityIsTheIdentity) {
  const DenseOptimum optimum = dense_optimum(Eigen::MatrixXd::Identity(20, 20));
  EXPECT_NEAR(optimum.rmse, 1, 1e-14);
  EXPECT_LT((optimum.c - Eigen::MatrixXd::Identity(20, 20)).norm(), 1e-13);
}

TEST(Certificate, IsBelowEveryMatrixForAnyWeights) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const std::size_t n = 25;
  const Filter a = decay(0.95).filter(Horizon(n));
  const Eigen::MatrixXd dense = a.to_dense();
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::VectorXd w(n);
    Eigen::MatrixXd c = dense_optimum(dense).c;
    for (Eigen::Index i = 0; i < w.size(); ++i) {
      w(i) = std::exp(0.5 * normal(random));
      for (Eigen::Index j = 0; j <= i; ++j) c(i, j) += 0.02 * normal(random);
    }
    EXPECT_LE(rmse_lower_bound(dense, w), shape_quality(a, Filter::dense(c)).rmse);
  }
}

TEST(Certificate, IsBelowTheOptimumUnlessTheWeightsAreOptimal) {
  const Eigen::MatrixXd a = prefix().filter(Horizon(100)).to_dense();
  const double flat = rmse_lower_bound(a, Eigen::VectorXd::Ones(100));
  EXPECT_LT(flat, 2.2354);
  EXPECT_GT(flat, 0.9 * 2.2355);
}

TEST(DenseOptimum, RefusesWhatHasNoOptimum) {
  EXPECT_THROW((void)dense_optimum(Eigen::MatrixXd(2, 3)), InvalidParameter);
  EXPECT_THROW((void)dense_optimum(Eigen::MatrixXd()), InvalidParameter);
  EXPECT_THROW((void)dense_optimum(Eigen::MatrixXd::Constant(2, 2, std::nan(""))), InvalidParameter);
  EXPECT_THROW((void)dense_optimum(Eigen::MatrixXd::Zero(3, 3)), InvalidParameter);
  EXPECT_THROW((void)rmse_lower_bound(Eigen::MatrixXd::Identity(3, 3), Eigen::VectorXd::Zero(3)),
               InvalidParameter);
}

TEST(DenseOptimum, StaysTrueForAWorkloadCloseToSingular) {
  Eigen::MatrixXd a = prefix().filter(Horizon(30)).to_dense();
  a.row(29) *= 1e-9;
  a.col(29) *= 1e-9;
  const DenseOptimum optimum = dense_optimum(a);
  EXPECT_LE(optimum.lower_bound, optimum.rmse);
  EXPECT_LE(optimum.rmse, 1.01 * optimum.lower_bound);
}

}  // namespace
}  // namespace jme
