#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/workload/workload.hpp>

#include "dense_algebra.hpp"

// The definitions written out as matrices; they share only the filter's own dense form with what is tested.
namespace jme::reference {

/// Weight of row i in the release at the end of `step`, from the workload's definition.
inline double weight(const Workload& workload, const Horizon& horizon, std::size_t step, std::size_t i,
                     const Eigen::MatrixXd& custom_matrix = {}) {
  const std::size_t end = horizon.rows_through(step);  // rows seen
  if (i >= end) return 0;
  switch (workload.kind()) {
    case Workload::Kind::prefix:
      return 1;
    case Workload::Kind::mean:
      return 1 / static_cast<double>(end);
    case Workload::Kind::decay:
      return std::pow(workload.beta(), static_cast<double>(end - 1 - i));
    case Workload::Kind::window:  // the last window/every blocks, a partial last one among them
      return i / horizon.every() + workload.window_rows() / horizon.every() > step
                 ? 1 / static_cast<double>(workload.window_rows())
                 : 0;
    case Workload::Kind::custom:
      return custom_matrix(static_cast<Eigen::Index>(step), static_cast<Eigen::Index>(i / horizon.every()));
  }
  return 0;
}

inline Eigen::MatrixXd release_weights(const Workload& workload, const Horizon& horizon,
                                       const Eigen::MatrixXd& custom_matrix = {}) {
  Eigen::MatrixXd b(static_cast<Eigen::Index>(horizon.steps()), static_cast<Eigen::Index>(horizon.rows()));
  for (Eigen::Index s = 0; s < b.rows(); ++s)
    for (Eigen::Index i = 0; i < b.cols(); ++i)
      b(s, i) =
          weight(workload, horizon, static_cast<std::size_t>(s), static_cast<std::size_t>(i), custom_matrix);
  return b;
}

/// C^-1 C^-T by a general LU inverse.
inline Eigen::MatrixXd q_matrix(const Filter& c) {
  const Eigen::MatrixXd inverse = test::inverse(c.to_dense());
  return inverse * inverse.transpose();
}

inline double frobenius(const Filter& a, const Filter& c) {
  return (a.to_dense() * test::inverse(c.to_dense())).squaredNorm();
}

struct Case {
  std::string name;
  Workload workload;
  Horizon horizon;
};

/// Every kind of workload, with and without blocks, with full and partial last blocks.
inline std::vector<Case> cases() {
  return {{"prefix", prefix(), Horizon(40)},
          {"prefix, blocks", prefix(), Horizon(40, 5)},
          {"prefix, partial block", prefix(), Horizon(38, 5)},
          {"mean", mean(), Horizon(40)},
          {"mean, partial block", mean(), Horizon(37, 4)},
          {"decay", decay(0.9), Horizon(40)},
          {"decay, partial block", decay(0.8), Horizon(39, 7)},
          {"window", window(6), Horizon(40)},
          {"window of one", window(1), Horizon(12)},
          {"window, partial block", window(6), Horizon(41, 3)}};
}

}  // namespace jme::reference
