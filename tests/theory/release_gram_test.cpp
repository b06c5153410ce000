#include "theory/release_gram.hpp"

#include <gtest/gtest.h>

#include <jme/shaping/shape.hpp>

#include "dense_algebra.hpp"
#include "filter/norms.hpp"
#include "theory/dense_reference.hpp"

namespace jme::theory {
namespace {

Eigen::MatrixXd some_lower_matrix(Eigen::Index n) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      a(i, j) = std::cos(static_cast<double>(3 * i + 5 * j)) + (i == j ? 2 : 0);
  return a;
}

// Sums of at most 41 products of numbers of size 1: a few hundred units in the last place.
constexpr double rounding = 1e-13;

TEST(ReleaseGram, IsTheGramMatrixOfTheRowWeightsAtReleases) {
  for (const auto& c : reference::cases()) {
    const Eigen::MatrixXd b = reference::release_weights(c.workload, c.horizon);
    const Eigen::MatrixXd expected = b.transpose() * b;
    EXPECT_LT((ReleaseGram(c.workload, c.horizon).to_dense() - expected).cwiseAbs().maxCoeff(),
              rounding * (1 + expected.cwiseAbs().maxCoeff()))
        << c.name;
    EXPECT_LT((release_matrix(c.workload, c.horizon) - b).cwiseAbs().maxCoeff(), rounding) << c.name;
  }
}

TEST(ReleaseGram, GivesAllRowsOfABlockTheWeightOfACustomWorkloadsBlock) {
  const Horizon horizon(11, 3);
  const Eigen::MatrixXd a = some_lower_matrix(4);
  const Eigen::MatrixXd b = reference::release_weights(custom(a), horizon, a);
  EXPECT_LT((ReleaseGram(custom(a), horizon).to_dense() - b.transpose() * b).cwiseAbs().maxCoeff(),
            100 * rounding);
  EXPECT_EQ(release_matrix(custom(a), horizon), b);
}

TEST(ReleaseSums, ApplyTheRowWeights) {
  for (const auto& c : reference::cases()) {
    std::vector<double> x(c.horizon.rows());
    for (std::size_t t = 0; t < x.size(); ++t) x[t] = std::sin(static_cast<double>(t));
    const Eigen::VectorXd expected =
        reference::release_weights(c.workload, c.horizon) *
        Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    const std::vector<double> sums = release_sums(c.workload, c.horizon, x);
    ASSERT_EQ(sums.size(), c.horizon.steps());
    for (std::size_t s = 0; s < sums.size(); ++s)
      EXPECT_NEAR(sums[s], expected(static_cast<Eigen::Index>(s)), rounding) << c.name;
  }
}

TEST(ReleaseRowNorms, AreTheRowsOfWeightsTimesTheInverseShape) {
  for (const auto& c : reference::cases()) {
    for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::banded_inverse(3)}) {
      const Filter filter = shape.filter(c.workload, c.horizon.by_row());
      const Eigen::MatrixXd rows =
          reference::release_weights(c.workload, c.horizon) * test::inverse(filter.to_dense());
      const std::vector<double> norms = release_row_norms(c.workload, c.horizon, filter);
      for (std::size_t s = 0; s < norms.size(); ++s) {
        const double expected = rows.row(static_cast<Eigen::Index>(s)).squaredNorm();
        EXPECT_NEAR(norms[s], expected, 1e-11 * expected) << c.name << ' ' << shape.name();
      }
    }
  }
}

TEST(ReleaseRowNorms, TakeACustomWorkloadOverRows) {
  const Horizon horizon(11, 3);
  const Eigen::MatrixXd a = some_lower_matrix(4);
  const Filter c = Shape::square_root().filter(prefix(), horizon.by_row());
  const Eigen::MatrixXd rows =
      reference::release_weights(custom(a), horizon, a) * test::inverse(c.to_dense());
  const std::vector<double> norms = release_row_norms(custom(a), horizon, c);
  for (std::size_t s = 0; s < norms.size(); ++s)
    EXPECT_NEAR(norms[s], rows.row(static_cast<Eigen::Index>(s)).squaredNorm(), 1e-10);
}

}  // namespace
}  // namespace jme::theory
