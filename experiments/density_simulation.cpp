#include "experiments/density_simulation.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <jme/models/covariance.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme::experiments {
namespace {

// Steps of the world's first channel: the parameters, then the rows.
constexpr std::uint64_t mean_step = 0, covariance_step = 1, first_row_step = 2;

Eigen::VectorXd normals(const GaussianSource& source, Channel channel, std::uint64_t step,
                        std::size_t count) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(count));
  source.fill(channel, step, 0, {values.data(), count});
  return values;
}

std::vector<DivergenceCurve> curves_of(const std::vector<std::string>& estimators,
                                       const std::vector<std::size_t>& rows,
                                       const std::vector<Sample>& samples) {
  std::vector<DivergenceCurve> curves;
  for (std::size_t e = 0; e < estimators.size(); ++e) {
    DivergenceCurve curve{.estimator = estimators[e], .rows = rows, .divergence = {}};
    for (std::size_t r = 0; r < rows.size(); ++r) curve.divergence.push_back(samples[e * rows.size() + r]);
    curves.push_back(std::move(curve));
  }
  return curves;
}

// Noise on xx' after symmetrising d^2 independent normals: the full variance on the diagonal, half of it off
// the diagonal.
Eigen::MatrixXd symmetric_noise(const Eigen::VectorXd& draws, Eigen::Index d) {
  const Eigen::Map<const Eigen::MatrixXd> square(draws.data(), d, d);
  return 0.5 * (square + square.transpose());
}

}  // namespace

GaussianWorld::GaussianWorld(const GaussianSource& source, std::size_t dimension) : source_(source) {
  const auto d = static_cast<Eigen::Index>(dimension);
  mean_ = std::sqrt(0.5) * normals(source_, Channel::first, mean_step, dimension);
  const Eigen::VectorXd draws = normals(source_, Channel::first, covariance_step, 2 * dimension * dimension);
  const Eigen::Map<const Eigen::MatrixXd> factors(draws.data(), d, 2 * d);
  covariance_ = 0.5 * factors * factors.transpose();
  const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance_);
  root_ = cholesky.matrixL();
  inverse_ = cholesky.solve(Eigen::MatrixXd::Identity(d, d));
  log_det_ = 2 * root_.diagonal().array().log().sum();
}

Eigen::VectorXd GaussianWorld::row(std::size_t t) const {
  const Eigen::VectorXd z =
      normals(source_, Channel::first, first_row_step + t, static_cast<std::size_t>(mean_.size()));
  return mean_ + root_ * z;
}

double GaussianWorld::divergence(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                                 double floor) const {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(covariance);
  const Eigen::ArrayXd values = parts.eigenvalues().array().max(floor);
  const Eigen::MatrixXd definite =
      parts.eigenvectors() * values.matrix().asDiagonal() * parts.eigenvectors().transpose();
  const Eigen::VectorXd off = mean - mean_;
  return 0.5 * (inverse_.cwiseProduct(definite).sum() + off.dot(inverse_ * off) -
                static_cast<double>(mean.size()) + log_det_ - values.log().sum());
}

std::vector<DivergenceCurve> unclipped_divergence(const Effort& effort, const DensitySetting& setting,
                                                  std::size_t runs) {
  const std::vector<std::string> estimators{"JME", "JME debiased", "PP", "PP debiased"};
  const std::size_t n = setting.rows;
  const auto d = static_cast<Eigen::Index>(setting.dimension);
  const double s = setting.noise;
  const std::string what = fmt::format("density {} {} {}", d, n, s);
  const auto samples =
      monte_carlo(effort, runs, estimators.size() * n, [&](std::size_t run, std::span<double> out) {
        const GaussianSource source(run_seed(effort, what, run).key(), Nonce{});
        const GaussianSource noise(run_seed(effort, what + " noise", run).key(), Nonce{});
        const GaussianWorld world(source, setting.dimension);
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(d);  // of noisy rows; it is the same for JME and PP
        Eigen::MatrixXd jme = Eigen::MatrixXd::Zero(d, d), pp = jme;
        for (std::size_t t = 0; t < n; ++t) {
          const Eigen::VectorXd x = world.row(t);
          const Eigen::VectorXd noisy = x + s * normals(noise, Channel::first, t, setting.dimension);
          const Eigen::VectorXd draws =
              normals(noise, Channel::second, t, setting.dimension * setting.dimension);
          sum += noisy;
          jme += x * x.transpose() + std::sqrt(2.0) * s * symmetric_noise(draws, d);
          pp += noisy * noisy.transpose();
          const auto rows = static_cast<double>(t + 1);
          const Eigen::VectorXd mean = sum / rows;
          const Eigen::MatrixXd jme_covariance = jme / rows - mean * mean.transpose();
          const Eigen::MatrixXd pp_covariance = pp / rows - mean * mean.transpose();
          const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
          const auto record = [&](std::size_t estimator, const Eigen::MatrixXd& covariance) {
            out[estimator * n + t] = world.divergence(mean, covariance, eigenvalue_floor);
          };
          record(0, jme_covariance);
          // Debiasing adds (docs/theory/errors.md#running-covariance).
          record(1, jme_covariance + s * s / rows * identity);
          record(2, pp_covariance);
          record(3, pp_covariance - s * s * (1 - 1 / rows) * identity);
        }
      });
  std::vector<std::size_t> rows(n);
  for (std::size_t t = 0; t < n; ++t) rows[t] = t + 1;
  return curves_of(estimators, rows, samples);
}

std::vector<DivergenceCurve> clipped_divergence(const Effort& effort, const HonestSetting& setting,
                                                std::size_t runs) {
  const std::vector<std::string> estimators{"JME", "JME debiased", "PP", "PP debiased", "JME our shape"};
  StreamConfig config{.budget = {.sigma = setting.density.noise / 2},
                      .rows = setting.density.rows,
                      .every = setting.every,
                      .dimension = setting.density.dimension,
                      .norm_bound = setting.norm_bound,
                      .geometry = Geometry::ball,
                      .workload = mean(),
                      .shape = Shape::identity()};
  const Mechanism jme(config);
  config.shape = Shape::automatic();
  const Mechanism shaped(config);
  config.method = Method::pp;
  config.shape = Shape::identity();
  const Mechanism pp(config);

  const Horizon& horizon = jme.horizon();
  const std::size_t releases = horizon.steps();
  const Units units = Units::identity(setting.density.dimension);
  const std::string what = fmt::format("honest density {} {} {} {}", setting.density.dimension,
                                       setting.density.rows, setting.density.noise, setting.every);
  const auto samples =
      monte_carlo(effort, runs, estimators.size() * releases, [&](std::size_t run, std::span<double> out) {
        const GaussianSource source(run_seed(effort, what, run).key(), Nonce{});
        const GaussianWorld world(source, setting.density.dimension);
        MomentStream jme_stream(jme, run_seed(effort, what + " jme", run));
        MomentStream shaped_stream(shaped, run_seed(effort, what + " shaped", run));
        MomentStream pp_stream(pp, run_seed(effort, what + " pp", run));
        for (std::size_t t = 0; t < setting.density.rows; ++t) {
          const Eigen::VectorXd x = world.row(t);
          const std::span<const double> row(x.data(), setting.density.dimension);
          const auto record = [&](std::size_t estimator, const Release& release, Bias bias) {
            if (!release.is_new()) return;
            out[estimator * releases + release.steps() - 1] =
                world.divergence(running_mean(release, units).value,
                                 running_covariance(release, units, bias).value, eigenvalue_floor);
          };
          const Release& with_jme = jme_stream.push(row);
          record(0, with_jme, Bias::kept);
          record(1, with_jme, Bias::removed);
          const Release& with_pp = pp_stream.push(row);
          record(2, with_pp, Bias::kept);
          record(3, with_pp, Bias::removed);
          record(4, shaped_stream.push(row), Bias::removed);
        }
      });
  std::vector<std::size_t> rows(releases);
  for (std::size_t b = 0; b < releases; ++b) rows[b] = horizon.rows_through(b);
  return curves_of(estimators, rows, samples);
}

}  // namespace jme::experiments
