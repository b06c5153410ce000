#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/privacy/allocation.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/sampled_steps.hpp>

#include "privacy/epoch_law.hpp"
#include "privacy/subsampled_checks.hpp"
#include "privacy/sum_law.hpp"
#include "privacy/turn_law.hpp"

namespace jme {
namespace {

using privacy::Direction;
using privacy::TurnLaw;
using ::testing::HasSubstr;

struct OneEpoch {
  std::uint64_t turns;
  double sigma, remove, add;
};
// Of one epoch at delta 1e-6: tests/privacy/allocation_values.py prints them.
const std::vector<OneEpoch> one_epoch = {
    {2, 0.5, 10.3040208091, 7.99534051936},     {3, 1, 3.80355847771, 2.81561357726},
    {10, 2, 0.728869611225, 0.675540709713},    {25, 1, 1.84072010793, 0.976646814534},
    {100, 0.45, 7.89510630806, 1.79916372056},  {100, 0.48, 6.95040332896, 1.59608119769},
    {100, 0.6, 4.24965020585, 1.07488066771},   {100, 0.8, 1.87477970662, 0.675149673101},
    {1000, 0.6, 2.06838544161, 0.376153522097},
};

TEST(AllocationEpsilon, OfOneEpochIsTheLaplaceTransformsFromAbove) {
  for (const OneEpoch& known : one_epoch) {
    SCOPED_TRACE(::testing::Message() << known.turns << " turns, sigma " << known.sigma);
    const auto found = allocation_epsilons({.turns = known.turns, .epochs = 1, .sigma = known.sigma}, 1e-6);
    // Never below; the constants have 12 digits. What lattices, scales and grid may add is a matter of
    // accuracy and not of privacy: less than a thousandth.
    EXPECT_GE(found.remove, known.remove * (1 - 1e-11));
    EXPECT_LE(found.remove, known.remove * (1 + 1e-3));
    EXPECT_GE(found.add, known.add * (1 - 1e-11));
    EXPECT_LE(found.add, known.add * (1 + 1e-3));
  }
}

TEST(AllocationEpsilon, OfASingleTurnIsTheGaussianMechanismFromAbove) {
  // The machinery without its shortcut: t is a single likelihood ratio.
  for (const double sigma : {0.6, 2.0}) {
    for (const std::uint64_t epochs : {1ULL, 9ULL}) {
      SCOPED_TRACE(::testing::Message() << sigma << " " << epochs);
      const double exact = gaussian_epsilon(sigma / std::sqrt(static_cast<double>(epochs)), 1e-6);
      for (const Direction direction : {Direction::remove, Direction::add}) {
        const double found =
            privacy::allocation_in_direction({.turns = 1, .epochs = epochs, .sigma = sigma}, direction, 1e-6);
        EXPECT_GE(found, exact * (1 - 1e-12));
        EXPECT_LE(found, exact * (1 + 3e-4));
      }
    }
  }
}

TEST(AllocationEpsilon, OfSeveralEpochsLiesBetweenPublishedBounds) {
  // Lower and upper bounds of PLD_accounting 2.0 (Feldman & Shenfeld, arXiv 2602.17284) at delta 1e-6.
  struct Known {
    Allocation mechanism;
    double low, high;
  };
  for (const Known& known : {Known{{.turns = 12, .epochs = 4, .sigma = 1.6}, 1.777, 1.849},
                             Known{{.turns = 10, .epochs = 16, .sigma = 2}, 3.091, 3.179},
                             Known{{.turns = 2, .epochs = 4, .sigma = 1.2}, 6.692, 6.783}}) {
    const double found = allocation_epsilon(known.mechanism, 1e-6);
    EXPECT_GE(found, known.low);
    EXPECT_LE(found, known.high);
  }
}

/// log t of one epoch; with the row, its turn is the first.
double loss_of_epoch(std::mt19937_64& random, const Allocation& mechanism, bool has_row) {
  std::normal_distribution<double> normal;
  const double shift = 1 / mechanism.sigma;
  double sum = 0;
  for (std::uint64_t i = 0; i < mechanism.turns; ++i) {
    const double x = normal(random) + (has_row && i == 0 ? shift : 0);
    sum += std::exp(shift * x - shift * shift / 2);
  }
  return std::log(sum / static_cast<double>(mechanism.turns));
}

TEST(AllocationEpsilon, OfThreeEpochsAgreesWithSimulation) {
  // Delta by simulation at the epsilon that was found for delta 0.01, in both directions.
  const Allocation mechanism{.turns = 4, .epochs = 3, .sigma = 0.9};
  const AllocationEpsilons found = allocation_epsilons(mechanism, 0.01);
  std::mt19937_64 random(7);
  constexpr int draws = 400'000;
  for (const bool has_row : {true, false}) {
    const double epsilon = has_row ? found.remove : found.add;
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      double loss = 0;
      for (std::uint64_t e = 0; e < mechanism.epochs; ++e) loss += loss_of_epoch(random, mechanism, has_row);
      const double excess = std::max(0.0, -std::expm1(epsilon - (has_row ? loss : -loss)));
      sum += excess, squares += excess * excess;
    }
    const double mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
    // Five standard errors are passed by chance in one run of 1.7 million; the bound may be 0.3% too large.
    EXPECT_NEAR(mean, 0.01, 5 * error + 3e-5);
  }
}

TEST(AllocationEpsilon, FallsWithTurnsAndRisesWithEpochs) {
  const double fixed = gaussian_epsilon(0.9 / std::sqrt(2.0), 1e-6);
  double before = fixed;
  for (const std::uint64_t turns : {2ULL, 8ULL, 64ULL}) {
    const double epsilon = allocation_epsilon({.turns = turns, .epochs = 2, .sigma = 0.9}, 1e-6);
    EXPECT_LT(epsilon, before);
    before = epsilon;
  }
  EXPECT_GT(allocation_epsilon({.turns = 8, .epochs = 3, .sigma = 0.9}, 1e-6),
            allocation_epsilon({.turns = 8, .epochs = 2, .sigma = 0.9}, 1e-6));
}

TEST(AllocationEpsilon, IsNeverAboveAFixedOrder) {
  // So little noise and so small a delta that the lattices say nothing.
  for (const double sigma : {0.05, 0.1}) {
    const double epsilon = allocation_epsilon({.turns = 2, .epochs = 1, .sigma = sigma}, 1e-100);
    EXPECT_LE(epsilon, gaussian_epsilon(sigma, 1e-100) * (1 + 1e-12));
    EXPECT_GT(epsilon, 0);
  }
}

TEST(AllocationNoise, IsEnoughAndNotMuchMore) {
  const Allocation mechanism{.turns = 10, .epochs = 4};
  const double sigma = allocation_noise_multiplier(mechanism, {.epsilon = 2, .delta = 1e-6});
  EXPECT_LE(allocation_epsilon({.turns = 10, .epochs = 4, .sigma = sigma}, 1e-6), 2);
  EXPECT_GT(allocation_epsilon({.turns = 10, .epochs = 4, .sigma = sigma * 0.9995}, 1e-6), 2);
}

TEST(TurnLawOnALattice, KeepsMassAndMeanOnTheSafeSide) {
  for (const double sigma : {0.5, 3.0}) {
    for (const Direction direction : {Direction::remove, Direction::add}) {
      const TurnLaw law(sigma, direction);
      const double top = law.rarely_above(1e-12);
      for (const double spacing : {top / 64, top / 32768}) {
        const auto lattice = law.between(0, top, spacing);
        double mass = 0, mean = 0;
        for (std::size_t k = 0; k < lattice.masses.size(); ++k) {
          mass += lattice.masses[k];
          mean += lattice.masses[k] * spacing * static_cast<double>(k);
        }
        // Above the top lies less than 1e-12, with the row and without. Shares of cells are moved by some
        // 450 units of 2^-52, each by one spacing.
        EXPECT_NEAR(mass, 1, 3e-12);
        EXPECT_NEAR(mean, 1, 3e-12 + 1e-13 * spacing);
        if (direction == Direction::remove) {
          EXPECT_GE(mean, 1 - 1e-12);
        }
      }
    }
  }
}

TEST(TurnLawOnALattice, OfPartsIsThatOfTheWhole) {
  const TurnLaw law(0.7, Direction::remove);
  const auto whole = law.between(0, 8, 0.125), low = law.between(0, 2, 0.125),
             high = law.between(2, 8, 0.125);
  for (std::size_t k = 0; k < whole.masses.size(); ++k) {
    const double parts = (k < low.masses.size() ? low.masses[k] : 0) + high.masses[k];
    EXPECT_NEAR(whole.masses[k], parts, 1e-16);
  }
}

TEST(LawOfASum, IsTheBinomialLawOfTwoPoints) {
  // Parts are 0 or 1 with 1/2 each; without the sums of zeros alone.
  const privacy::LatticeMasses coin{.spacing = 1, .masses = {0.5, 0.5}},
      zero{.spacing = 1, .masses = {0.5, 0}};
  const auto law = privacy::law_of_sum({.head = coin, .part = coin}, {.head = zero, .part = zero}, 10,
                                       {.bottom = 0, .top = 10}, 0);
  double binomial = std::exp2(-10);
  for (int k = 0; k <= 10; ++k) {
    EXPECT_NEAR(law.masses[static_cast<std::size_t>(k)], k == 0 ? 0 : binomial, law.error + 1e-17) << k;
    binomial *= (10.0 - k) / (k + 1.0);
  }
  EXPECT_LT(law.error, 1e-14);
}

TEST(LikelyInterval, LeavesOutNoMoreThanItSays) {
  const privacy::LatticeMasses coin{.spacing = 1, .masses = {0.5, 0.5}};
  const auto lies = privacy::likely_interval(coin, coin, 40, 1e-3);
  double below = 0, above = 0, binomial = std::exp2(-40);
  for (int k = 0; k <= 40; ++k) {
    if (k < lies.bottom) below += binomial;
    if (k > lies.top) above += binomial;
    binomial *= (40.0 - k) / (k + 1.0);
  }
  EXPECT_LE(below, 1e-3);
  EXPECT_LE(above, 1e-3);
  EXPECT_GT(lies.bottom, 5);
  EXPECT_LT(lies.top, 35);
}

TEST(SampledSteps, OfClassesAreFewerStepsAtAHigherRate) {
  const SampledSteps run{
      .sampling = Sampling::cyclic_poisson, .sampling_rate = 0.01, .bands = 10, .steps = 405, .sigma = 0.8};
  EXPECT_EQ(as_fresh_steps(run).steps, 41U);  // a class has 41 of these steps at most
  EXPECT_DOUBLE_EQ(as_fresh_steps(run).sampling_rate, 0.1);
  EXPECT_EQ(sampled_epsilon(run, 1e-6), pld_epsilon(as_fresh_steps(run), 1e-6));
}

TEST(SampledSteps, OfAllocationAreTurnsOfEpochs) {
  SampledSteps run{.sampling = Sampling::allocation, .sampling_rate = 0.01, .bands = 10, .steps = 400};
  EXPECT_EQ(as_allocation(run).turns, 10U);
  EXPECT_EQ(as_allocation(run).epochs, 4U);
  run.steps = 401;  // the first class has a turn of a fifth epoch
  EXPECT_EQ(as_allocation(run).epochs, 5U);
  EXPECT_EQ(steps_of_epochs(0.01, 4), 400U);
  EXPECT_EQ(steps_of_epochs(0.01, 2.5), 250U);
}

template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "";
}

TEST(SampledSteps, RefuseWhatIsNotProved) {
  const SampledSteps allocation{.sampling = Sampling::allocation, .sampling_rate = 0.01, .bands = 10};
  SampledSteps run = allocation;
  run.adjacency = Adjacency::replace_one;
  EXPECT_THAT(complaint([&] { (void)sampled_epsilon(run, 1e-6); }), HasSubstr("add-remove"));
  run = allocation, run.bands = 7;
  EXPECT_THAT(complaint([&] { (void)sampled_epsilon(run, 1e-6); }), HasSubstr("divisor"));
  run = allocation, run.sampling_rate = 0.013;
  EXPECT_THAT(complaint([&] { (void)sampled_epsilon(run, 1e-6); }), HasSubstr("whole number"));
  run = allocation, run.sampling = Sampling::poisson;
  EXPECT_THAT(complaint([&] { (void)sampled_epsilon(run, 1e-6); }), HasSubstr("bands"));
  run = allocation, run.sampling = Sampling::cyclic_poisson, run.bands = 101;
  EXPECT_THAT(complaint([&] { (void)sampled_epsilon(run, 1e-6); }), HasSubstr("1/sampling-rate"));
}

}  // namespace
}  // namespace jme
