// Rows in a box: the errors that the theorem promises, and where JME stands against PP with them.
#include <cmath>

#include <gtest/gtest.h>

#include "experiments/agreement.hpp"
#include "experiments/box_against_pp.hpp"
#include "experiments/box_errors.hpp"
#include "experiments/quick_figures.hpp"
#include "experiments/simulated_errors.hpp"

namespace jme::experiments {
namespace {

TEST(BoxErrors, AreSmallerByTheFactorOfTheTheoremForEveryShape) {
  EXPECT_DOUBLE_EQ(box_gain(2), 4);
  EXPECT_DOUBLE_EQ(box_gain(3), 8.0 / 3);
  EXPECT_DOUBLE_EQ(box_gain(5), 20.0 / 11);
  EXPECT_DOUBLE_EQ(box_gain(10), 220.0 / 163);
  for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::automatic()}) {
    for (const std::size_t d : {2U, 3U, 5U, 10U, 100U}) {
      const BoxErrors errors = BoxErrors::of(d, SecondMoment::full, shape);
      // The standard deviations are known to 1e-12, and the curves are fitted to four of their squares.
      EXPECT_NEAR(errors.gain() / box_gain(d), 1, 1e-9) << shape.name() << d;
      const double alone = BoxErrors::of(d, SecondMoment::diagonal, shape).gain();
      EXPECT_NEAR(alone / (2 * static_cast<double>(d) * (11 + 5 * std::sqrt(5.0)) / 8), 1, 1e-9) << d;
    }
    EXPECT_NEAR(BoxErrors::of(1, SecondMoment::full, shape).gain(), 1, 1e-9);
  }
}

TEST(BoxFrontier, IsWhereTheCurvesCrossAndNowhereUpToFourColumns) {
  for (const std::size_t d : {2U, 3U, 4U}) EXPECT_FALSE(box_frontier(d)) << d;
  for (std::size_t d = 2; d <= 40; ++d) {
    const BoxErrors errors = BoxErrors::of(d, SecondMoment::full, Shape::identity());
    const auto sigma = crossover(errors.box, errors.pp), formula = box_frontier(d);
    ASSERT_EQ(sigma.has_value(), formula.has_value()) << d;
    if (!sigma) continue;
    // Curves are known to 1e-9, and differ by a quarter of themselves or more.
    EXPECT_NEAR(*sigma / *formula, 1, 1e-6) << d;
    EXPECT_LT(*sigma, *crossover(errors.ball, errors.pp)) << d;
  }
}

// By theory's own numbers for the mechanisms that run, not by the fitted curves.
TEST(BoxFrontier, SeparatesTheErrorsOfTheMechanismsThatRun) {
  for (const std::size_t d : {5U, 20U, 200U}) {
    for (const double factor : {0.97, 1.03}) {
      const auto error = [&](Method method, Geometry geometry) {
        StreamConfig config = box_config(d, method, geometry, SecondMoment::full);
        config.budget = {.sigma = factor * *box_frontier(d)};
        return expected_error(Mechanism(config)).second.high;
      };
      EXPECT_EQ(error(Method::pp_debiased, Geometry::ball) < error(Method::jme, Geometry::box), factor < 1)
          << d;
    }
  }
}

TEST(BoxSimulation, AtCornersNoticesNoiseTenPercentTooSmallAndTheOtherGeometry) {
  StreamConfig config = box_config(5, Method::jme, Geometry::box, SecondMoment::full);
  config.budget = {.sigma = 1};
  const double expected = expected_error(Mechanism(config)).second.high;
  const auto verdict = [&](double sigma, Geometry geometry) {
    StreamConfig drawn = config;
    drawn.budget = {.sigma = sigma};
    drawn.geometry = geometry;
    const Mechanism mechanism(drawn);
    Agreement agreement;
    agreement.compare(
        simulated_errors({}, {.mechanism = mechanism, .at_corners = true, .runs = 600, .what = "box"}).second,
        expected);
    return agreement.claim().verdict;
  };
  EXPECT_EQ(verdict(1, Geometry::box), Verdict::confirmed);
  EXPECT_EQ(verdict(0.9, Geometry::box), Verdict::refuted);
  EXPECT_EQ(verdict(1, Geometry::ball), Verdict::refuted);
}

TEST(BoxFigure, HasTheGainsAndCrossoversOfTheory) {
  const Figure& figure = quick_figure("geometry");
  const Table& gains = table_called(figure, "geometry-gains");
  const Table& crossovers = table_called(figure, "geometry-crossovers");
  EXPECT_EQ(cell(gains, {"2"}, "second moment"), "4.0000");
  EXPECT_EQ(cell(gains, {"3"}, "second moment"), "2.6667");
  EXPECT_EQ(cell(gains, {"5"}, "second moment"), "1.8182");
  EXPECT_EQ(cell(gains, {"10"}, "second moment"), "1.3497");
  EXPECT_EQ(cell(gains, {"5"}, "diagonal entry"), "20.000");
  for (const char* d : {"2", "3", "5", "10"}) EXPECT_EQ(cell(gains, {d}, "verdict"), "confirmed") << d;
  // (1/2) sqrt(1 - 2/5), and sqrt((25 - 20 - 1/2) / 120).
  EXPECT_EQ(cell(crossovers, {"5"}, "ball"), "0.387");
  EXPECT_EQ(cell(crossovers, {"5"}, "box"), "0.194");
  EXPECT_EQ(cell(crossovers, {"2"}, "ball"), "nowhere");
  EXPECT_EQ(cell(crossovers, {"3"}, "ball"), "0.289");
  EXPECT_EQ(cell(crossovers, {"4"}, "box"), "nowhere");
  EXPECT_EQ(cell(crossovers, {"1000"}, "diagonal alone, box"), "nowhere");
  EXPECT_EQ(claim_about(figure, "times less squared error").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(figure, "4d times less").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(figure, "more accurate than JME").verdict, Verdict::partly);
  EXPECT_EQ(claim_about(figure, "diagonal alone").verdict, Verdict::confirmed);
}

TEST(BoxFigure, VerdictsAboutPpFollowTheCrossings) {
  const auto verdict = [](const BoxCrossings& crossings, const char* words) {
    Figure figure;
    add_pp_claims(figure, crossings);
    return claim_about(figure, words).verdict;
  };
  BoxCrossings crossings{.chart = {}, .table = {}, .always_in_box = 0, .highest = 0.4};
  EXPECT_EQ(verdict(crossings, "more accurate than JME"), Verdict::confirmed);
  crossings.always_in_box = 4;
  EXPECT_EQ(verdict(crossings, "more accurate than JME"), Verdict::partly);
  crossings.diagonal_share = 1.1;
  EXPECT_EQ(verdict(crossings, "diagonal alone"), Verdict::refuted);
  crossings.diagonal_share = 0.5;
  EXPECT_EQ(verdict(crossings, "diagonal alone"), Verdict::confirmed);
  crossings.diagonal_always = false;
  EXPECT_EQ(verdict(crossings, "diagonal alone"), Verdict::refuted);
}

}  // namespace
}  // namespace jme::experiments
