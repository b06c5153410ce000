#include "theory/cross_term.hpp"

#include <random>

#include <gtest/gtest.h>

#include <jme/shaping/shape.hpp>
#include <jme/theory/expected_error.hpp>

#include "dense_algebra.hpp"
#include "theory/dense_reference.hpp"

namespace jme::theory {
namespace {

Eigen::MatrixXd random_psd(Eigen::Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  return g * g.transpose();
}

double largest_over_signs(const Eigen::MatrixXd& m) {
  double best = 0;
  Eigen::VectorXd x(m.rows());
  for (unsigned bits = 0; bits < 1U << (m.rows() - 1); ++bits) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) x(i) = bits >> i & 1U ? 1 : -1;
    best = std::max(best, x.dot(m * x));
  }
  return best;
}

double alternating_value(const Eigen::MatrixXd& m) {
  Eigen::VectorXd x(m.rows());
  for (Eigen::Index i = 0; i < m.rows(); ++i) x(i) = i % 2 == 0 ? 1 : -1;
  return x.dot(m * x);
}

TEST(SupOverUnitRows, EnclosesTheBestSigns) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Eigen::MatrixXd m = random_psd(10, seed);
    const Interval sup = sup_over_unit_rows(m, 1);
    const double truth = largest_over_signs(m);
    EXPECT_LE(sup.low, truth * (1 + 1e-12)) << seed;
    EXPECT_GE(sup.high, truth * (1 - 1e-12)) << seed;
    EXPECT_GE(sup.low, 0.9 * truth) << seed;  // ascent may stop in a local maximum, not far below
  }
}

// In ten dimensions the ascent reaches the semidefinite relaxation, whose dual is the bound: no gap is left.
// The ascent stops at a relative gain of 1e-13 per sweep; with linear convergence, parts in 1e4 are left.
TEST(SupOverUnitRows, ClosesTheGapWhereTheDimensionAllowsIt) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Interval sup = sup_over_unit_rows(random_psd(12, seed), 20);
    EXPECT_LE(sup.low, sup.high);
    EXPECT_LT(sup.high / sup.low - 1, 1e-3) << seed;
  }
}

TEST(SupOverUnitRows, IsTheTraceOfADiagonalMatrix) {
  const Eigen::MatrixXd m = Eigen::Vector4d(1, 0, 2, 3).asDiagonal();
  const Interval sup = sup_over_unit_rows(m, 3);
  EXPECT_EQ(sup.low, 6);
  EXPECT_EQ(sup.high, 6);
}

TEST(SupOverUnitRows, IgnoresRowsWithoutWeight) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3, 3);
  m(0, 0) = m(2, 2) = 1;
  m(0, 2) = m(2, 0) = -0.5;
  const Interval sup = sup_over_unit_rows(m, 1);
  EXPECT_NEAR(sup.low, 3, 1e-12);
  EXPECT_NEAR(sup.high, 3, 1e-9);
}

TEST(PpCrossTerm, WithoutShapingIsTheSquaredNormOfTheWorkload) {
  const Filter a = prefix().filter(Horizon(30));
  const Interval cross = pp_cross_term(a, Filter::identity(30));
  EXPECT_DOUBLE_EQ(cross.low, 465);  // 30 * 31 / 2
  EXPECT_DOUBLE_EQ(cross.high, 465);
}

// docs/theory/errors.md#the-cross-term: the alternating stream attains the sup for the square roots, and the
// dual bound proves it.
TEST(PpCrossTerm, OfSquareRootsIsTheAlternatingStreams) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9), window(10)}) {
    const Horizon horizon(100);
    const Filter a = workload.filter(horizon), c = Shape::square_root().filter(workload, horizon);
    const Eigen::MatrixXd dense = a.to_dense();
    const double alternating =
        alternating_value((dense.transpose() * dense).cwiseProduct(reference::q_matrix(c)));
    const Interval cross = pp_cross_term(a, c);
    EXPECT_NEAR(cross.low, alternating, 1e-11 * alternating) << workload.name();
    EXPECT_NEAR(cross.high, alternating, 1e-9 * alternating) << workload.name();
  }
}

TEST(SlowPpCrossTerm, OfTheSquareRootOfAThousandPrefixSumsIs1000181) {
  const Horizon horizon(1000);
  const Interval cross =
      pp_cross_term(prefix().filter(horizon), Shape::square_root().filter(prefix(), horizon));
  EXPECT_NEAR(cross.low, 1000181.548, 5e-4);  // docs/theory/errors.md#the-cross-term, last digit rounded
  EXPECT_NEAR(cross.high, 1000181.548, 1e-2);
}

TEST(Alternated, HasTheRowNormsOfTheAlternatingStream) {
  const Horizon horizon(24);
  const Workload workload = decay(0.9);
  const Eigen::MatrixXd a = workload.filter(horizon).to_dense();
  Eigen::VectorXd signs(24);
  for (Eigen::Index i = 0; i < 24; ++i) signs(i) = i % 2 == 0 ? -1 : 1;
  const Filter all_modes = Filter::toeplitz(
      24, {.taps = {1, 0.4}, .modes = {{0.3, 0.8}, {0.1, -0.2}}, .inverted = true, .inverse_taps = {}});
  std::vector<Filter> filters{all_modes};
  for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::banded(3),
                             Shape::banded_inverse(4), Shape::blt(2), Shape::scaled_blt(2)}) {
    filters.push_back(shape.filter(workload, horizon));
  }
  for (const Filter& c : filters) {
    const Eigen::MatrixXd streamed = a * signs.asDiagonal() * test::inverse(c.to_dense());
    const Eigen::MatrixXd filtered = a * test::inverse(alternated(c).to_dense());
    for (Eigen::Index t = 0; t < 24; ++t)
      EXPECT_NEAR(filtered.row(t).squaredNorm(), streamed.row(t).squaredNorm(),
                  1e-11 * streamed.row(t).squaredNorm());
  }
}

TEST(SquaredSymbolBound, IsAboveTheSpectralNormAndNearTheSymbolsMaximum) {
  for (const Workload& workload : {prefix(), decay(0.9)}) {
    const Horizon horizon(200);
    for (const Shape& shape :
         {Shape::square_root(), Shape::blt(3), Shape::banded(8), Shape::banded_inverse(4)}) {
      const Filter c = shape.filter(workload, horizon);
      const double bound = squared_symbol_bound(c.core().inverse_coefficients(200));
      const Eigen::MatrixXd q = reference::q_matrix(c);
      const double spectral = test::eigenvalues(q).maxCoeff();
      EXPECT_GE(bound, spectral) << workload.name() << shape.name();
      EXPECT_LE(bound, 1.1 * spectral) << workload.name() << shape.name();
    }
  }
  // |1 - z| <= 2 on the circle is the square of prefix sums' inverse root; oversampling leaves 0.5%, the cut
  // series 0.4%.
  const Horizon longer(100000);
  const double prefix_bound =
      squared_symbol_bound(Shape::square_root().filter(prefix(), longer).core().inverse_coefficients(100000));
  EXPECT_GT(prefix_bound, 2);
  EXPECT_LT(prefix_bound, 2.03);
}

}  // namespace
}  // namespace jme::theory
