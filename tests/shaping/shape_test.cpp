#include <Eigen/LU>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/norms.hpp"

namespace jme {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Shape, NamesAreReadBackAsThemselves) {
  for (const char* name :
       {"auto", "identity", "sqrt", "banded:16", "banded-inverse:3", "blt:4", "scaled-blt:6", "dense"}) {
    EXPECT_EQ(Shape::parse(name).name(), name);
  }
  EXPECT_EQ(Shape::parse("banded:16").order(), 16u);
}

TEST(Shape, RefusesNamesItDoesNotKnow) {
  for (const char* name :
       {"", "square", "banded", "banded:", "banded:0", "banded:-1", "banded:1.5", "banded:1x", "blt:0",
        "blt:7", "scaled-blt:7", "identity:2", ":4", "banded:99999999999999999999999"}) {
    EXPECT_THROW((void)Shape::parse(name), InvalidParameter) << name;
  }
  EXPECT_THAT([] { (void)Shape::parse("nonsense", "shape2"); },
              ThrowsMessage<InvalidParameter>(HasSubstr("shape2")));
}

TEST(Shape, ChecksOrders) {
  EXPECT_THROW((void)Shape::banded(0), InvalidParameter);
  EXPECT_THROW((void)Shape::banded_inverse(0), InvalidParameter);
  EXPECT_THROW((void)Shape::blt(0), InvalidParameter);
  EXPECT_THROW((void)Shape::blt(Shape::max_buffers + 1), InvalidParameter);
}

TEST(Shape, SquareRootTimesItsInverseIsTheIdentity) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9), window(10)}) {
    const Filter c = Shape::square_root().filter(workload, Horizon(50));
    const Eigen::MatrixXd dense = c.to_dense();
    std::vector<double> unit(50, 0.0);
    unit[3] = 1;
    const auto back = c.apply(c.solve(unit));
    for (std::size_t t = 0; t < 50; ++t)
      EXPECT_NEAR(back[t], unit[t], 1e-13);  // 50 products of numbers below 1
    EXPECT_EQ(c.inverse_state_vectors() >= 49, true);
  }
}

TEST(Shape, SquareRootOfPrefixSquaresToTheWorkload) {
  const Eigen::MatrixXd root = Shape::square_root().filter(prefix(), Horizon(40)).to_dense();
  EXPECT_LT((root * root - prefix().filter(Horizon(40)).to_dense()).cwiseAbs().maxCoeff(), 1e-14 * 40);
}

TEST(Shape, BandedKeepsTheFirstCoefficientsOfTheRootOrOfItsInverse) {
  const Eigen::MatrixXd root = Shape::square_root().filter(prefix(), Horizon(12)).to_dense();
  const Eigen::MatrixXd banded = Shape::banded(4).filter(prefix(), Horizon(12)).to_dense();
  const Eigen::MatrixXd inverse = root.inverse();
  const Eigen::MatrixXd banded_inverse =
      Shape::banded_inverse(4).filter(prefix(), Horizon(12)).to_dense().inverse();
  for (Eigen::Index i = 0; i < 12; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      EXPECT_NEAR(banded(i, j), i - j < 4 ? root(i, j) : 0, 1e-15);
      EXPECT_NEAR(banded_inverse(i, j), i - j < 4 ? inverse(i, j) : 0, 1e-13);
    }
  }
}

TEST(Shape, WiderBandsThanStepsAreTheSquareRoot) {
  const Filter c = Shape::banded(100).filter(prefix(), Horizon(10));
  EXPECT_LT((c.to_dense() - Shape::square_root().filter(prefix(), Horizon(10)).to_dense()).norm(), 1e-15);
}

TEST(Shape, ShapesWithoutAFormulaForACustomWorkloadSayWhatToUse) {
  const Workload workload = custom(Eigen::MatrixXd::Identity(5, 5));
  for (const char* name : {"sqrt", "banded:2", "banded-inverse:2", "blt:2", "scaled-blt:2"}) {
    EXPECT_THAT([&] { (void)Shape::parse(name).filter(workload, Horizon(5)); },
                ThrowsMessage<InvalidParameter>(HasSubstr("custom")))
        << name;
  }
  EXPECT_NO_THROW((void)Shape::dense().filter(workload, Horizon(5)));
  EXPECT_NO_THROW((void)Shape::identity().filter(workload, Horizon(5)));
}

TEST(Shape, CustomMatricesAreChecked) {
  Eigen::MatrixXd good = Eigen::MatrixXd::Identity(4, 4);
  good(3, 0) = -2;
  EXPECT_TRUE(Shape::custom(good).filter(prefix(), Horizon(4)).to_dense().isApprox(good));
  EXPECT_THROW((void)Shape::custom(good).filter(prefix(), Horizon(5)), InvalidParameter);
  Eigen::MatrixXd upper = good, singular = good, infinite = good;
  upper(0, 3) = 1;
  singular(2, 2) = 0;
  infinite(1, 0) = std::numeric_limits<double>::infinity();
  for (const Eigen::MatrixXd& bad : {upper, singular, infinite, Eigen::MatrixXd(good.topRows(3))}) {
    EXPECT_THROW((void)Shape::custom(bad).filter(prefix(), Horizon(4)), InvalidParameter);
  }
}

TEST(Shape, DenseHasALimitAndNamesIt) {
  EXPECT_THAT([] { (void)Shape::dense().filter(prefix(), Horizon(Shape::max_dense_steps + 1)); },
              ThrowsMessage<InvalidParameter>(HasSubstr("2048")));
}

TEST(Shape, AutoMustBeChosenFirst) {
  EXPECT_THROW((void)Shape::automatic().filter(prefix(), Horizon(4)), InvalidParameter);
}

TEST(ShapeQuality, IsThatOfTheDenseMatrices) {
  const Horizon horizon(30);
  for (const char* name :
       {"identity", "sqrt", "banded:5", "banded-inverse:3", "blt:2", "scaled-blt:3", "dense"}) {
    const Filter a = mean().filter(horizon);
    const Filter c = Shape::parse(name).filter(mean(), horizon);
    const Eigen::MatrixXd shaped = a.to_dense() * c.to_dense().inverse();
    const double column = c.to_dense().colwise().norm().maxCoeff();
    const ShapeQuality quality = shape_quality(a, c);
    // 30 steps, condition numbers below 100.
    EXPECT_NEAR(quality.rmse, column * shaped.norm() / std::sqrt(30.0), 1e-12) << name;
    EXPECT_NEAR(quality.max, column * shaped.rowwise().norm().maxCoeff(), 1e-12) << name;
    EXPECT_NEAR(quality.column_norm, column, 1e-12) << name;
  }
}

TEST(ShapeQuality, DoesNotDependOnTheScaleOfC) {
  const Filter a = prefix().filter(Horizon(20));
  const Eigen::MatrixXd c = Shape::banded(4).filter(prefix(), Horizon(20)).to_dense();
  EXPECT_NEAR(shape_quality(a, Filter::dense(c)).rmse, shape_quality(a, Filter::dense(7 * c)).rmse, 1e-12);
}

TEST(ChooseShape, NeverExceedsTheStateAllowed) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9), window(10)}) {
    for (const std::size_t most : {0ul, 1ul, 2ul, 4ul, 20ul, 1000ul}) {
      for (const Objective objective : {Objective::rmse, Objective::max}) {
        const Shape choice = choose_shape(workload, Horizon(60), objective, state_limit(most, 1));
        EXPECT_LE(choice.filter(workload, Horizon(60), objective).inverse_state_vectors(), most)
            << workload.name();
        EXPECT_NE(choice.kind(), Shape::Kind::automatic);
      }
    }
  }
}

TEST(ChooseShape, OfAWindowKeepsThreeWindowsWhereTheyFitInMemory) {
  // 3 x 100 vectors of 65 numbers fit in 256 MB, of 500,500 numbers they do not.
  const auto chosen = [](std::size_t window_rows, std::size_t width) {
    return choose_shape(window(window_rows), Horizon(1000), Objective::rmse, state_limit({}, width));
  };
  EXPECT_EQ(chosen(100, 65).kind(), Shape::Kind::scaled_blt);
  EXPECT_EQ(chosen(10, 500'500).kind(), Shape::Kind::scaled_blt);  // 33 vectors of 4 MB
  EXPECT_EQ(chosen(100, 500'500).kind(), Shape::Kind::blt);
  EXPECT_EQ(state_limit({}, 500'500).with_lags, 67u);
  EXPECT_EQ(state_limit({}, std::size_t{1} << 40).with_lags, 5u);
  EXPECT_EQ(state_limit(3, 1).with_lags, 3u);
}

TEST(ChooseShape, IsNoWorseThanAnyCandidateThatFits) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9)}) {
    for (const Objective objective : {Objective::rmse, Objective::max}) {
      const Horizon horizon(300);
      const Shape choice = choose_shape(workload, horizon, objective, state_limit(4, 1));
      const ShapeQuality best =
          shape_quality(workload.filter(horizon), choice.filter(workload, horizon, objective));
      const double chosen = objective == Objective::rmse ? best.rmse : best.max;
      for (const Shape& shape : candidate_shapes(workload, horizon)) {
        const Filter c = shape.filter(workload, horizon, objective);
        if (c.inverse_state_vectors() > 4) continue;
        const ShapeQuality quality = shape_quality(workload.filter(horizon), c);
        const double other = objective == Objective::rmse ? quality.rmse : quality.max;
        EXPECT_LE(chosen, other * (1 + 1e-4)) << workload.name() << " " << shape.name();
      }
    }
  }
}

TEST(ChooseShape, DecidesLongHorizonsAsComparingWould) {
  // From 256 steps on nothing is computed; the tie of 1e-5 lies at a decay of 0.0063 per step.
  const Horizon horizon(300);
  for (const Workload& workload : {prefix(), mean(), decay(0.9999), decay(0.9), decay(0.5), decay(0.1),
                                   decay(0.0068), decay(0.0058), decay(1e-6)}) {
    const Filter a = workload.filter(horizon);
    const double identity = shape_quality(a, Filter::identity(300)).rmse;
    const double scaled = shape_quality(a, Shape::scaled_blt(4).filter(workload, horizon)).rmse;
    const bool worth_it = scaled < identity * (1 - 1e-5);
    EXPECT_EQ(choose_shape(workload, horizon, Objective::rmse, state_limit(4, 1)).kind(),
              worth_it ? Shape::Kind::scaled_blt : Shape::Kind::identity)
        << workload.name();
  }
}

TEST(Shape, NamesWhatWasTypedWhereItIsRefused) {
  const auto complaint = [](const char* text) { return [=] { (void)Shape::parse(text); }; };
  for (const char* text : {"blt:100", "scaled-blt:7", "blt:0", "banded:0", "banded:1.5", "banded:-3",
                           "banded:", "banded:1e400", "banded:99999999999999999999", "blt:x"}) {
    EXPECT_THAT(complaint(text),
                ThrowsMessage<InvalidParameter>(HasSubstr("shape = " + std::string(text) + ": must be")));
  }
  EXPECT_EQ(Shape::parse("banded:1e3").order(), 1000u);
  // The widest possible band: it is cut at the horizon.
  EXPECT_EQ(Shape::parse("banded:1e9").filter(prefix(), Horizon(5)).core().taps.size(), 5u);
}

TEST(ChooseShape, TakesTheIdentityForTheLeastMaximumOfAMean) {
  // Release 1 of a mean is the first row itself: no C brings the maximum below 1, and the identity attains
  // it.
  const Shape choice = choose_shape(mean(), Horizon(100), Objective::max, state_limit(8, 1));
  EXPECT_EQ(choice.kind(), Shape::Kind::identity);
  EXPECT_DOUBLE_EQ(shape_quality(mean().filter(Horizon(100)), choice.filter(mean(), Horizon(100))).max, 1);
}

TEST(ChooseShape, WorksForACustomWorkload) {
  const Workload workload = custom(decay(0.9).filter(Horizon(30)).to_dense());
  EXPECT_EQ(choose_shape(workload, Horizon(30), Objective::rmse, state_limit(4, 1)).kind(),
            Shape::Kind::identity);
  EXPECT_EQ(choose_shape(workload, Horizon(30), Objective::rmse, state_limit(30, 1)).kind(),
            Shape::Kind::dense);
}

TEST(ChooseShape, WorksForASingleStep) {
  for (const Workload& workload : {prefix(), mean(), decay(0.5), window(1)}) {
    const Shape choice = choose_shape(workload, Horizon(1), Objective::rmse, state_limit(4, 1));
    const Filter c = choice.filter(workload, Horizon(1));
    EXPECT_NEAR(shape_quality(workload.filter(Horizon(1)), c).rmse, 1, 1e-12);
  }
}

TEST(CandidateShapes, AllBecomeFilters) {
  for (const Workload& workload : {prefix(), mean(), decay(0.99), window(12)}) {
    for (const Horizon& horizon : {Horizon(24), Horizon(200), Horizon(240, 4), Horizon(50'000, 4)}) {
      for (const Shape& shape : candidate_shapes(workload, horizon)) {
        EXPECT_TRUE(shape.filter(workload, horizon).is_invertible())
            << shape.name() << " " << workload.name();
      }
    }
  }
}

}  // namespace
}  // namespace jme
