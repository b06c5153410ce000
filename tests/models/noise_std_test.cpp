// The noise beside every number, against numerical derivatives of formulas that are written again here, and
// against the spread over repetitions of the whole mechanism.
#include <functional>
#include <map>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>

#include "models/rows.hpp"

namespace jme {
namespace {

using test::covariance_of;
using test::some_units;
using test::three_column_config;
using test::three_columns;

/// A number of a model as a function of mean and covariance in the unit box.
using Function = std::function<double(const Eigen::VectorXd&, const Eigen::MatrixXd&)>;

// First-order standard deviation by central differences, each independent draw of noise on its own: e_i
// moves the mean and, through -mm', the covariance; F_ij moves the two entries of the second moment. Plus the
// variance 2 v1^2 ||G||^2 of -ee'.
double numeric_std(const Function& f, const RunningMoments& moments) {
  const Eigen::VectorXd m = moments.mean();
  const Eigen::MatrixXd c = moments.covariance();
  const double v1 = moments.noise().mean_variance(), v2 = moments.noise().second_variance();
  const Eigen::MatrixXd s = c + m * m.transpose();
  const Eigen::Index d = m.size();
  const double step = 1e-6;
  const auto at = [&](const Eigen::VectorXd& mean, const Eigen::MatrixXd& second) {
    return f(mean, second - mean * mean.transpose());
  };
  double variance = 0, norm = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    const Eigen::VectorXd e = step * Eigen::VectorXd::Unit(d, i);
    variance += v1 * std::pow((at(m + e, s) - at(m - e, s)) / (2 * step), 2);
    for (Eigen::Index j = i; j < d; ++j) {
      Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(d, d);
      direction(i, j) = direction(j, i) = step;
      const double slope = (at(m, s + direction) - at(m, s - direction)) / (2 * step);
      variance += (i == j ? v2 : v2 / 2) * slope * slope;
      norm += (i == j ? 1 : 0.5) * slope * slope;
    }
  }
  return std::sqrt(variance + 2 * v1 * v1 * norm);
}

Eigen::MatrixXd natural_covariance(const Eigen::MatrixXd& c) {
  const Eigen::VectorXd h = some_units().half_width;
  return h.asDiagonal() * c * h.asDiagonal();
}
Eigen::VectorXd natural_mean(const Eigen::VectorXd& m) {
  return some_units().centre + some_units().half_width.cwiseProduct(m);
}
const std::vector<double> point{20, 40, 3000};

struct Claim {
  double value, noise_std;
  Function definition;
};

// Every number of every model, with its definition in natural units.
std::map<std::string, Claim> claims(const RunningMoments& moments, const Release& release) {
  std::map<std::string, Claim> all;
  const auto name = [](const char* model, Eigen::Index i, Eigen::Index j = 0) {
    return std::string(model) + " " + std::to_string(i) + " " + std::to_string(j);
  };
  const auto cov = running_covariance(release, some_units());
  const auto var = running_variance(release, some_units());
  const auto mean_of = running_mean(release, some_units());
  const auto cor = correlation(moments), pre = precision(moments);
  const auto pca = ComponentTracker().next(moments, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    all[name("mean", i)] = {mean_of.value(i), mean_of.noise_std(i),
                            [i](const auto& m, const auto&) { return natural_mean(m)(i); }};
    all[name("variance", i)] = {var.value(i), var.noise_std(i),
                                [i](const auto&, const auto& c) { return natural_covariance(c)(i, i); }};
    all[name("value", i)] = {
        pca.values.value(i), pca.values.noise_std(i), [i](const auto&, const Eigen::MatrixXd& c) {
          return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(natural_covariance(c)).eigenvalues()(2 - i);
        }};
    all[name("share", i)] = {
        pca.shares.value(i), pca.shares.noise_std(i), [i](const auto&, const Eigen::MatrixXd& c) {
          const Eigen::MatrixXd all_of = natural_covariance(c);
          return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(all_of).eigenvalues()(2 - i) / all_of.trace();
        }};
    for (Eigen::Index j = 0; j < 3; ++j) {
      all[name("covariance", i, j)] = {
          cov.value(i, j), cov.noise_std(i, j),
          [i, j](const auto&, const auto& c) { return natural_covariance(c)(i, j); }};
      all[name("precision", i, j)] = {
          pre.value(i, j), pre.noise_std(i, j),
          [i, j](const auto&, const auto& c) { return natural_covariance(c).inverse().eval()(i, j); }};
      const Eigen::RowVectorXd component = pca.components.value.row(i);
      all[name("component", i, j)] = {
          pca.components.value(i, j), pca.components.noise_std(i, j),
          [i, j, component](const auto&, const Eigen::MatrixXd& c) {
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(natural_covariance(c));
            const Eigen::VectorXd v = parts.eigenvectors().col(2 - i);
            return component.dot(v) < 0 ? -v(j) : v(j);
          }};
      all[name("correlation", i, j)] = {cor.value(i, j), cor.noise_std(i, j),
                                        [i, j](const auto&, const auto& c) {
                                          return i == j ? 1.0 : c(i, j) / std::sqrt(c(i, i) * c(j, j));
                                        }};
    }
  }
  for (Eigen::Index y = 0; y < 3; ++y) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index i = 0; i < 3; ++i) {
      if (i != y) others.push_back(i);
    }
    const double ridge = moments.noise().squared_level(moments.mean()(others));
    // Least squares with its ridge in the unit box, then back: y = c_y + h_y (m_y + x'(u - m)).
    const auto solve = [=](const Eigen::MatrixXd& c) -> Eigen::VectorXd {
      const Eigen::MatrixXd a = c(others, others);
      const Eigen::VectorXd b = c(others, y);
      const Eigen::MatrixXd normal = a.transpose() * a + ridge * Eigen::MatrixXd::Identity(2, 2);
      const Eigen::VectorXd x = normal.partialPivLu().solve(a.transpose() * b);
      const Eigen::VectorXd h = some_units().half_width(others);
      return some_units().half_width(y) * x.cwiseQuotient(h);
    };
    const auto line = linear_regression(moments, static_cast<std::size_t>(y));
    all[name("intercept", y)] = {line.intercept.value, line.intercept.noise_std,
                                 [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                                   const Eigen::VectorXd all_means = natural_mean(m);
                                   return all_means(y) - solve(c).dot(all_means(others));
                                 }};
    for (Eigen::Index k = 0; k < 2; ++k) {
      all[name("coefficient", y, k)] = {line.coefficients.value(k), line.coefficients.noise_std(k),
                                        [=](const auto&, const auto& c) { return solve(c)(k); }};
    }
  }
  const GaussianDensity density(moments);
  const auto away = [](const Eigen::VectorXd& m) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(point.data(), 3) - natural_mean(m));
  };
  const auto squared = [away](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
    return away(m).dot(natural_covariance(c).ldlt().solve(away(m)));
  };
  const auto log_det = [](const Eigen::MatrixXd& c) { return std::log(natural_covariance(c).determinant()); };
  all["log_det"] = {density.log_det().value, density.log_det().noise_std,
                    [log_det](const auto&, const auto& c) { return log_det(c); }};
  const Estimate at_point = density.log_density(point), score = density.outlier_score(point);
  all["log_density"] = {at_point.value, at_point.noise_std,
                        [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                          return -(3 * std::log(2 * M_PI) + log_det(c) + squared(m, c)) / 2;
                        }};
  all["score"] = {score.value, score.noise_std,
                  [=](const auto& m, const auto& c) { return std::sqrt(squared(m, c)); }};

  const Eigen::Vector3d other_mean(10, 45, 4000);
  const Eigen::MatrixXd other = Eigen::Vector3d(300, 400, 2e6).asDiagonal();
  const GaussianDensity reference(other_mean, other);
  const auto kl = [](const Eigen::VectorXd& m0, const Eigen::MatrixXd& c0, const Eigen::VectorXd& m1,
                     const Eigen::MatrixXd& c1) {
    const Eigen::MatrixXd inverse = c1.inverse();
    return ((inverse * c0).trace() + (m1 - m0).dot(inverse * (m1 - m0)) - 3 +
            std::log(c1.determinant() / c0.determinant())) /
           2;
  };
  const Estimate there = kl_divergence(density, reference), back = kl_divergence(reference, density);
  all["kl of a release"] = {there.value, there.noise_std,
                            [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                              return kl(natural_mean(m), natural_covariance(c), other_mean, other);
                            }};
  all["kl from a release"] = {back.value, back.noise_std,
                              [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                                return kl(other_mean, other, natural_mean(m), natural_covariance(c));
                              }};
  return all;
}

class EveryModel : public testing::Test {
 protected:
  static constexpr Eigen::Index rows = 20;
};

TEST_F(EveryModel, HasTheValueOfItsDefinition) {
  MomentStream stream(Mechanism(three_column_config(0.01, rows)), InsecureTestSeed{3});
  const Release& release = test::run(stream, three_columns(rows));
  const RunningMoments moments(release, some_units());
  ASSERT_EQ(moments.definite_covariance(), moments.covariance()) << "a projection would blur the comparison";
  for (const auto& [name, claim] : claims(moments, release)) {
    const double defined = claim.definition(moments.mean(), moments.covariance());
    // Rounding through a condition number of 1e6 in natural units.
    EXPECT_NEAR(claim.value, defined, 1e-9 * (std::abs(defined) + std::abs(claim.noise_std))) << name;
  }
}

TEST_F(EveryModel, HasTheNoiseOfItsDerivative) {
  MomentStream stream(Mechanism(three_column_config(0.01, rows)), InsecureTestSeed{3});
  const Release& release = test::run(stream, three_columns(rows));
  const RunningMoments moments(release, some_units());
  ASSERT_EQ(moments.definite_covariance(), moments.covariance());
  for (const auto& [name, claim] : claims(moments, release)) {
    const double numeric = numeric_std(claim.definition, moments);
    // Central differences of step 1e-6: truncation 1e-12 times third derivatives (below 1e6 of the first
    // here), rounding 1e-16 / 1e-6 times the condition of natural units.
    EXPECT_NEAR(claim.noise_std, numeric, 1e-4 * numeric + 1e-12) << name;
  }
}

TEST_F(EveryModel, HasTheNoiseSeenOverRepetitions) {
  // Noise small beside the covariance, so that first order is all there is (the largest second-order
  // effect here, on the inverse, is 1% of the first).
  const Mechanism mechanism(three_column_config(0.001, rows));
  const Eigen::MatrixXd x = three_columns(rows);
  constexpr int runs = 3000;
  std::map<std::string, Eigen::Vector3d> sums;
  for (int r = 0; r < runs; ++r) {
    MomentStream stream(mechanism, InsecureTestSeed{static_cast<std::uint64_t>(r)});
    const Release& release = test::run(stream, x);
    for (const auto& [name, claim] : claims(RunningMoments(release, some_units()), release)) {
      auto& sum = sums.try_emplace(name, Eigen::Vector3d::Zero()).first->second;
      const double shifted = claim.value - claim.definition(x.colwise().mean().transpose(), covariance_of(x));
      sum += Eigen::Vector3d(shifted, shifted * shifted, claim.noise_std) / runs;
    }
  }
  for (const auto& [name, sum] : sums) {
    if (name.starts_with("correlation") && sum(2) == 0) continue;  // 1 on the diagonal, always
    const double spread = std::sqrt(sum(1) - sum(0) * sum(0));
    // A standard deviation from 3000 runs is good to 1.3%: 6.5 of that (false alarm 1e-10), plus the 1%.
    // Noise 10% too small or large is seen.
    EXPECT_NEAR(spread / sum(2), 1, 6.5 / std::sqrt(2.0 * runs) + 0.01) << name;
  }
}

TEST(SharedNoise, OfPpIsBoundedByWhatIsClaimed) {
  for (const Shape& shape : {Shape::identity(), Shape::blt({.poles = {0.9, 0.5}, .zeros = {0.7, 0.2}})}) {
    StreamConfig config = three_column_config(0.02, 16);
    config.every = 4;
    config.method = Method::pp_debiased;
    config.shape = shape;
    const Mechanism mechanism(config);
    const Eigen::MatrixXd x = three_columns(16);
    constexpr int runs = 2000;
    std::map<std::string, Eigen::Vector3d> sums;
    for (int r = 0; r < runs; ++r) {
      MomentStream stream(mechanism, InsecureTestSeed{static_cast<std::uint64_t>(r)});
      const Release& release = test::run(stream, x);
      const auto cov = running_covariance(release, some_units());
      const auto second = natural_second(release, some_units());
      const auto add = [&](const std::string& name, double value, double noise) {
        auto& sum = sums.try_emplace(name, Eigen::Vector3d::Zero()).first->second;
        sum += Eigen::Vector3d(value, value * value, noise) / runs;
      };
      for (Eigen::Index i = 0; i < 3; ++i) {
        for (Eigen::Index j = i; j < 3; ++j) {
          const std::string entry = " " + std::to_string(i) + " " + std::to_string(j);
          add("covariance" + entry, cov.value(i, j), cov.noise_std(i, j));
          add("second" + entry, second.value(i, j), second.noise_std(i, j));
        }
      }
    }
    for (const auto& [name, sum] : sums) {
      const double spread = std::sqrt(std::max(0.0, sum(1) - sum(0) * sum(0)));
      EXPECT_LE(spread, sum(2) * (1 + 6.5 / std::sqrt(2.0 * runs))) << name << shape.name();
    }
  }
}

}  // namespace
}  // namespace jme
