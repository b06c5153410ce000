// The noise beside every number where diagonal and off-diagonal noise differ and divisors are noisy: against
// numerical derivatives of the released numbers, and against the spread over repetitions.
#include <cmath>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <jme/models/covariance.hpp>

#include "models/claims.hpp"
#include "models/rows.hpp"
#include "models/synthetic.hpp"

namespace jme {
namespace {

using test::claims;
using test::Function;
using test::NoiseStds;
using test::numbers_of;
using test::ReleaseNumbers;
using test::some_units;

constexpr Eigen::Index counted_rows = 400;
constexpr std::size_t width = 3;

// Mean and covariance by their definitions from the numbers of a release, without its bias removed.
struct Moments {
  Eigen::VectorXd mean = Eigen::VectorXd(3);
  Eigen::MatrixXd covariance = Eigen::MatrixXd(3, 3);
};

Moments moments_of(const ReleaseNumbers& numbers, const std::vector<double>& values) {
  const bool cells = numbers.layout.cell_counts;
  const std::size_t first = numbers.layout.first_size();
  const auto count = [&](std::size_t i, std::size_t j) {
    if (!cells)
      return numbers.layout.row_count ? values[width] : static_cast<double>(numbers.rows) / numbers.unit;
    return i == j ? values[width + i] : values[first + width * (width + 1) / 2 + (i == 0 ? j - 1 : 2)];
  };
  Moments result;
  for (std::size_t i = 0; i < width; ++i) result.mean(static_cast<Eigen::Index>(i)) = values[i] / count(i, i);
  std::size_t k = first;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      result.covariance(r, c) = result.covariance(c, r) =
          values[k++] / count(i, j) - result.mean(r) * result.mean(c);
    }
  }
  return result;
}

struct Case {
  const char* name;
  bool cells, row_count, box;

  [[nodiscard]] ReleaseNumbers numbers(double first) const {
    NoiseStds noise = NoiseStds::box(first, static_cast<double>(width));
    if (!box) noise.off_diagonal = std::sqrt(0.5) * noise.diagonal;
    // The means are small, so that counts would hardly matter with the noise that the box gives them.
    noise.count *= 4;
    noise.pair_count *= 4;
    noise.rows *= 8;
    const ReleaseLayout layout{
        .dimension = width, .second = SecondMoment::full, .cell_counts = cells, .row_count = row_count};
    return numbers_of(cells ? test::holes(counted_rows) : test::three_columns(counted_rows), layout, noise,
                      8);
  }
};
constexpr Case all_cases[] = {{"ball", false, false, false},
                              {"box", false, false, true},
                              {"ball with a row count", false, true, false},
                              {"box with a row count", false, true, true},
                              {"cells", true, false, true},
                              {"cells and rows", true, true, true}};

// Every released number moves on its own; plus the variance 2 sum G_ij^2 v1_i v1_j of the mean's square.
double numeric_std(const Function& f, const ReleaseNumbers& numbers, const std::vector<double>& values) {
  const auto at = [&](const std::vector<double>& moved) {
    const Moments moments = moments_of(numbers, moved);
    return f(moments.mean, moments.covariance);
  };
  double variance = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double step = 1e-5;
    std::vector<double> up = values, down = values;
    up[k] += step;
    down[k] -= step;
    variance += std::pow(numbers.deviations[k] * (at(up) - at(down)) / (2 * step), 2);
  }
  const Moments here = moments_of(numbers, values);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j) {
      const double step = 1e-6;
      Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(3, 3);
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      direction(r, c) = direction(c, r) = step;
      const double slope =
          (f(here.mean, here.covariance + direction) - f(here.mean, here.covariance - direction)) /
          (2 * step);
      const auto v1 = [&](std::size_t column) {
        const double n = values[column] / here.mean(static_cast<Eigen::Index>(column));
        return std::pow(numbers.noise.first / n, 2);
      };
      variance += 2 * (i == j ? 1 : 0.5) * slope * slope * v1(i) * v1(j);
    }
  }
  return std::sqrt(variance);
}

TEST(CountedModel, HasTheValueOfItsDefinition) {
  for (const Case& layout : all_cases) {
    SCOPED_TRACE(layout.name);
    const ReleaseNumbers numbers = layout.numbers(1e-3);
    const Release release = numbers.exact();
    const RunningMoments moments(release, some_units(), Bias::kept, Estimator::raw);
    ASSERT_TRUE(moments.is_known());
    ASSERT_EQ(moments.definite_covariance(), moments.covariance());
    const Moments defined = moments_of(numbers, numbers.values);
    EXPECT_LT((moments.mean() - defined.mean).norm(), 1e-14);
    EXPECT_LT((moments.covariance() - defined.covariance).norm(), 1e-14);
    for (const auto& [name, claim] :
         claims(RunningMoments(release, some_units(), Bias::removed, Estimator::raw), release)) {
      // The bias of the mean's square, (1e-3/50)^2 of a variance of 0.02, is below 3e-8 of it; its effect on
      // components and inverses is below a hundred times that.
      const double value = claim.definition(defined.mean, defined.covariance);
      EXPECT_NEAR(claim.value, value, 3e-6 * (std::abs(value) + std::abs(claim.noise_std))) << name;
    }
  }
}

TEST(CountedModel, HasTheNoiseOfItsDerivative) {
  for (const Case& layout : all_cases) {
    SCOPED_TRACE(layout.name);
    const ReleaseNumbers numbers = layout.numbers(0.01);
    const Release release = numbers.exact();
    const RunningMoments moments(release, some_units(), Bias::kept, Estimator::raw);
    ASSERT_TRUE(moments.is_known());
    for (const auto& [name, claim] :
         claims(RunningMoments(release, some_units(), Bias::removed, Estimator::raw), release)) {
      const double numeric = numeric_std(claim.definition, numbers, numbers.values);
      // The claim's gradients are at the covariance with its bias removed, which differs by (0.01/35)^2 =
      // 1e-7 of the unit: 5e-6 of the least eigenvalue, 1e-4 of what has its square in it. Differences are
      // good to 1e-4 as well.
      EXPECT_NEAR(claim.noise_std, numeric, 3e-4 * numeric + 1e-12) << name;
    }
  }
}

TEST(CountedModel, HasTheNoiseSeenOverRepetitions) {
  for (const Case& layout : all_cases) {
    SCOPED_TRACE(layout.name);
    // Noise of 1/2000 of the counts, 1/20 of the least eigenvalue's distance at most: second-order effects
    // are below 1% of the first.
    const ReleaseNumbers numbers = layout.numbers(0.005);
    std::mt19937_64 generator(11);
    constexpr int runs = 10000;
    std::map<std::string, Eigen::Vector3d> sums;
    const Moments truth = moments_of(numbers, numbers.values);
    std::map<std::string, double> truths;
    for (int r = 0; r < runs; ++r) {
      const Release release = numbers.draw(generator);
      for (const auto& [name, claim] :
           claims(RunningMoments(release, some_units(), Bias::removed, Estimator::raw), release)) {
        auto [at, is_new] = truths.try_emplace(name, 0.0);
        if (is_new) at->second = claim.definition(truth.mean, truth.covariance);
        const double shifted = claim.value - at->second;
        auto& sum = sums.try_emplace(name, Eigen::Vector3d::Zero()).first->second;
        sum += Eigen::Vector3d(shifted, shifted * shifted, claim.noise_std) / runs;
      }
    }
    // A standard deviation from 10,000 runs is good to 0.7%: 6.5 of that (false alarm 1e-10), plus the 1%.
    const double tolerance = 6.5 / std::sqrt(2.0 * runs) + 0.01;
    for (const auto& [name, sum] : sums) {
      if (name.starts_with("correlation") && sum(2) == 0) continue;  // 1 on the diagonal, always
      const double spread = std::sqrt(sum(1) - sum(0) * sum(0));
      EXPECT_NEAR(spread / sum(2), 1, tolerance) << name;
      EXPECT_GT(std::abs(spread / (0.9 * sum(2)) - 1), tolerance) << name << ": 10% too small must be seen";
    }
  }
}

TEST(CountedModel, HasTheNoiseSeenOverRepetitionsInSumsOfNaturalUnits) {
  for (const Case& layout : all_cases) {
    SCOPED_TRACE(layout.name);
    const ReleaseNumbers numbers = layout.numbers(0.005);
    const Units units = some_units();
    std::mt19937_64 generator(12);
    constexpr int runs = 10000;
    Eigen::VectorXd first = Eigen::VectorXd::Zero(3), first2 = first;
    Eigen::MatrixXd second = Eigen::MatrixXd::Zero(3, 3), second2 = second;
    const auto exact_first = natural_first(numbers.exact(), units);
    const auto exact_second = natural_second(numbers.exact(), units);
    for (int r = 0; r < runs; ++r) {
      const Release release = numbers.draw(generator);
      const Eigen::VectorXd a = natural_first(release, units).value - exact_first.value;
      const Eigen::MatrixXd b = natural_second(release, units).value - exact_second.value;
      first += a / runs;
      first2 += a.cwiseAbs2() / runs;
      second += b / runs;
      second2 += b.cwiseAbs2() / runs;
    }
    const double tolerance = 6.5 / std::sqrt(2.0 * runs);
    const auto check = [&](const Eigen::MatrixXd& mean, const Eigen::MatrixXd& square,
                           const Eigen::MatrixXd& claimed) {
      const Eigen::ArrayXXd ratio = (square - mean.cwiseAbs2()).cwiseSqrt().array() / claimed.array();
      EXPECT_LT((ratio - 1).abs().maxCoeff(), tolerance) << ratio;
      EXPECT_GT((ratio / 0.9 - 1).abs().minCoeff(), tolerance) << "10% too small must be seen";
    };
    check(first, first2, exact_first.noise_std);
    check(second, second2, exact_second.noise_std);
  }
}

TEST(NaturalSums, AreSumsOverPresentCells) {
  const Case observed{"cells", true, true, true};
  const Eigen::MatrixXd x = test::natural(test::holes(counted_rows), some_units());
  const ReleaseNumbers numbers = observed.numbers(0.01);
  const auto first = natural_first(numbers.exact(), some_units());
  const auto second = natural_second(numbers.exact(), some_units());
  for (Eigen::Index i = 0; i < 3; ++i) {
    double sum = 0, squares = 0;
    for (Eigen::Index t = 0; t < counted_rows; ++t) {
      if (std::isnan(x(t, i))) continue;
      sum += x(t, i) / numbers.unit;
      squares += x(t, i) * x(t, i) / numbers.unit;
    }
    EXPECT_NEAR(first.value(i), sum, 1e-12 * std::abs(sum));
    EXPECT_NEAR(second.value(i, i), squares, 1e-12 * squares);
  }
  // Off the diagonal a column's sum over the pairs is its mean times their number: by definition.
  const Moments m = moments_of(numbers, numbers.values);
  const Eigen::VectorXd mean = test::natural_mean(m.mean);
  const double pairs = numbers.exact().pair_counts()[0];
  EXPECT_NEAR(second.value(0, 1), pairs * (test::natural_covariance(m.covariance)(0, 1) + mean(0) * mean(1)),
              1e-9 * std::abs(second.value(0, 1)));
}

// The formula for isotropic noise, as it was before noise on and off the diagonal could differ.
double isotropic(const Release& release, const Eigen::VectorXd& g, const Eigen::MatrixXd& G) {
  const double v1 = std::pow(release.std_first() / release.weight_first(), 2);
  const double v2 = std::pow(release.std_second() / release.weight_second(), 2);
  const Eigen::VectorXd m =
      Eigen::Map<const Eigen::VectorXd>(release.first().data(), g.size()) / release.weight_first();
  return std::sqrt((v2 + 2 * v1 * v1) * G.squaredNorm() + v1 * (g - 2 * (G * m)).squaredNorm());
}

// The diagonal of F has the covariance matrix vd I + c 11', entries off it vd/2, all independent of them.
TEST(MomentNoise, OfACorrectedDiagonalIsThatOfItsCovarianceMatrix) {
  StreamConfig config = test::three_column_config(0.3, 20);
  config.geometry = Geometry::ball_trace;
  MomentStream stream(Mechanism(config), InsecureTestSeed{2});
  const Release& release = test::run(stream, test::three_columns(20));
  const MomentNoise noise(release);
  const double weight = std::pow(release.weight_second(), 2), c = release.diagonal_covariance() / weight;
  ASSERT_LT(c, 0);
  const double v1 = std::pow(release.std_first() / release.weight_first(), 2),
               vo = std::pow(release.std_off_diagonal(), 2) / weight;
  EXPECT_NEAR(std::pow(release.std_second(), 2) / weight, 2 * vo + c, 1e-12 * vo);
  const Eigen::Matrix3d diagonal = 2 * vo * Eigen::Matrix3d::Identity() + Eigen::Matrix3d::Constant(c);
  const auto deviation = [&](const Eigen::VectorXd& g, const Eigen::MatrixXd& G) {
    const Eigen::VectorXd on = G.diagonal(), h = g - 2 * (G * noise.mean());
    return std::sqrt(on.dot(diagonal * on) + 2 * vo * (G.squaredNorm() - on.squaredNorm()) +
                     2 * v1 * v1 * G.squaredNorm() + v1 * h.squaredNorm());
  };
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(generator); };
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
  for (int r = 0; r < 100; ++r) {
    const Eigen::VectorXd g = Eigen::VectorXd::NullaryExpr(3, draw),
                          a = Eigen::VectorXd::NullaryExpr(3, draw),
                          b = Eigen::VectorXd::NullaryExpr(3, draw);
    const Eigen::MatrixXd G = (a * b.transpose() + b * a.transpose()) / 2;
    const double expected = deviation(g, G);
    EXPECT_NEAR(noise.std_of(g, G), expected, 1e-13 * expected);
    const std::vector<MomentNoise::Product> products{{.a = a, .b = b}};
    EXPECT_NEAR(noise.std_of(g, products), expected, 1e-13 * expected);
    Eigen::MatrixXd pair = Eigen::MatrixXd::Zero(3, 3);
    pair(0, 0) = a(0), pair(2, 2) = a(1), pair(0, 2) = pair(2, 0) = a(2);
    EXPECT_NEAR(noise.std_of_pair(0, 2, {.ii = a(0), .jj = a(1), .ij = a(2)}), deviation(zero, pair), 1e-12);
  }
  // The sum of the variances gains most.
  const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(3, 3);
  EXPECT_NEAR(noise.std_of(zero, all), deviation(zero, all), 1e-13);
  // Averages over directions: on the sphere u_i^4 has the mean 1/5 and u_i^2 u_j^2 the mean 1/15.
  const double whole = noise.mean().squaredNorm();
  EXPECT_NEAR(std::pow(noise.level(), 2), 2 * vo + c + 2 * v1 * v1 + 4 * v1 * whole / 3, 1e-13);
  const std::vector<Eigen::Index> columns{0, 1, 2};
  double sum = 0;
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(3, 3);
      G(i, j) += 0.5;
      G(j, i) += 0.5;
      sum += std::pow(deviation(zero, G), 2);
    }
  }
  EXPECT_NEAR(noise.squared_level(columns), sum / 3, 1e-13);
}

TEST(MomentNoise, OfTheBallIsIsotropic) {
  StreamConfig config = test::three_column_config(0.3, 20);
  config.geometry = Geometry::ball;
  MomentStream stream(Mechanism(config), InsecureTestSeed{2});
  const Release& release = test::run(stream, test::three_columns(20));
  const MomentNoise noise(release);
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (int r = 0; r < 100; ++r) {
    const auto draw = [&] { return normal(generator); };
    const Eigen::VectorXd g = Eigen::VectorXd::NullaryExpr(3, draw),
                          a = Eigen::VectorXd::NullaryExpr(3, draw),
                          b = Eigen::VectorXd::NullaryExpr(3, draw);
    const Eigen::MatrixXd G = (a * b.transpose() + b * a.transpose()) / 2;
    const double expected = isotropic(release, g, G);
    // Some tens of roundings, each of 1e-16.
    EXPECT_NEAR(noise.std_of(g, G), expected, 1e-15 * expected);
    const std::vector<MomentNoise::Product> products{{.a = a, .b = b}};
    EXPECT_NEAR(noise.std_of(g, products), expected, 4e-15 * expected);
  }
  const auto c = running_covariance(release, Units::identity(3));
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(3, 3);
      G(i, j) += 0.5;
      G(j, i) += 0.5;
      EXPECT_NEAR(c.noise_std(i, j), isotropic(release, Eigen::VectorXd::Zero(3), G), 1e-15);
    }
  }
}

TEST(MomentNoise, OfEqualCountsWithoutNoiseIsThatOfPublicWeights) {
  const Case box{"box", false, false, true};
  const ReleaseNumbers plain = box.numbers(0.02);
  NoiseStds noise = plain.noise;
  noise.count = noise.pair_count = 0;
  const ReleaseNumbers counted =
      numbers_of(test::three_columns(counted_rows),
                 {.dimension = width, .second = SecondMoment::full, .cell_counts = true}, noise, plain.unit);
  const Release with_weights = plain.exact(), with_counts = counted.exact();
  const auto expected =
      claims(RunningMoments(with_weights, some_units(), Bias::removed, Estimator::raw), with_weights);
  const auto actual =
      claims(RunningMoments(with_counts, some_units(), Bias::removed, Estimator::raw), with_counts);
  ASSERT_EQ(expected.size(), actual.size());
  for (const auto& [name, claim] : expected) {
    // Rounding through a condition number of 1e6 in natural units.
    EXPECT_NEAR(actual.at(name).value, claim.value, 1e-9 * (std::abs(claim.value) + claim.noise_std)) << name;
    EXPECT_NEAR(actual.at(name).noise_std, claim.noise_std, 1e-9 * claim.noise_std) << name;
  }
  const MomentNoise one(with_weights), many(with_counts);
  EXPECT_NEAR(one.level(), many.level(), 1e-12 * one.level());
  EXPECT_NEAR(one.mean_level(), many.mean_level(), 1e-12 * one.mean_level());
  const std::vector<Eigen::Index> two{0, 2};
  EXPECT_NEAR(one.level(two), many.level(two), 1e-12 * one.level(two));
  EXPECT_NEAR(one.squared_level(two), many.squared_level(two), 1e-12 * one.squared_level(two));
}

TEST(CountedModel, HasTheNoiseLevelOfAVarianceInARandomDirection) {
  for (const Case& layout : all_cases) {
    SCOPED_TRACE(layout.name);
    const Release release = layout.numbers(1).exact();
    const Divisors all(release, {.rows = true,
                                 .cells = std::vector<bool>(release.counts().size(), true),
                                 .pairs = std::vector<bool>(release.pair_counts().size(), true)});
    const MomentNoise noise(release, all);
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
    constexpr int directions = 20000;
    double mean_square = 0;
    for (int i = 0; i < directions; ++i) {
      const Eigen::VectorXd u =
          Eigen::VectorXd::NullaryExpr(3, [&] { return normal(generator); }).normalized();
      mean_square += std::pow(noise.std_of(zero, Eigen::MatrixXd(u * u.transpose())), 2) / directions;
    }
    // The squares spread by less than their mean: 6.5/sqrt(20000) = 5%.
    EXPECT_NEAR(mean_square / std::pow(noise.level(), 2), 1, 0.05);
    // E[dC^2], entry by entry.
    const Eigen::MatrixXd entries =
        running_covariance(release, Units::identity(3), Bias::kept, all).noise_std;
    const double mean_eigenvalue = entries.squaredNorm() / 3;
    EXPECT_NEAR(noise.squared_level(std::vector<Eigen::Index>{0, 1, 2}), mean_eigenvalue,
                1e-12 * mean_eigenvalue);
  }
}

}  // namespace
}  // namespace jme
