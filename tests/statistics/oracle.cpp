#include "statistics/oracle.hpp"

#include <cmath>

namespace jme::oracle {

Eigen::MatrixXd workload_over_rows(const Workload& workload, const Horizon& horizon) {
  const auto n = static_cast<Eigen::Index>(horizon.rows());
  const auto k = static_cast<Eigen::Index>(horizon.every());
  const auto steps = static_cast<Eigen::Index>(horizon.steps());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(steps, n);
  for (Eigen::Index s = 0; s < steps; ++s) {
    const auto seen = static_cast<Eigen::Index>(horizon.rows_through(static_cast<std::size_t>(s)));
    for (Eigen::Index i = 0; i < seen; ++i) {
      switch (workload.kind()) {
        case Workload::Kind::prefix:
          a(s, i) = 1;
          break;
        case Workload::Kind::mean:
          a(s, i) = 1 / static_cast<double>(seen);
          break;
        case Workload::Kind::decay:
          a(s, i) = std::pow(workload.beta(), static_cast<double>(seen - 1 - i));
          break;
        case Workload::Kind::window: {
          const auto blocks = static_cast<Eigen::Index>(workload.window_rows()) / k;
          if (i / k > s - blocks) a(s, i) = 1 / static_cast<double>(workload.window_rows());
          break;
        }
        case Workload::Kind::custom:
          a(s, i) = workload.filter(horizon).matrix()(s, i / k);
          break;
      }
    }
  }
  return a;
}

Eigen::MatrixXd alternating_stream(std::size_t rows, std::size_t dimension, double norm_bound) {
  Eigen::MatrixXd x =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(dimension));
  for (Eigen::Index t = 0; t < x.rows(); ++t) x(t, 0) = t % 2 == 0 ? norm_bound : -norm_bound;
  return x;
}

Eigen::MatrixXd squares(const Eigen::MatrixXd& x, SecondMoment second) {
  const Eigen::Index d = x.cols();
  if (second == SecondMoment::diagonal) return x.cwiseAbs2();
  Eigen::MatrixXd result(x.rows(), d * (d + 1) / 2);
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    Eigen::Index k = 0;
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = i; j < d; ++j) result(t, k++) = x(t, i) * x(t, j);
    }
  }
  return result;
}

Eigen::VectorXd frobenius_weights(std::size_t dimension, SecondMoment second) {
  const auto d = static_cast<Eigen::Index>(dimension);
  if (second == SecondMoment::diagonal) return Eigen::VectorXd::Ones(d);
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(d * (d + 1) / 2, 2.0);
  for (Eigen::Index i = 0, k = 0; i < d; k += d - i, ++i) weights(k) = 1;
  return weights;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& lower) {
  return lower.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(lower.rows(), lower.cols()));
}

}  // namespace jme::oracle
