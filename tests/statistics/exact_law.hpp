#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace jme::exact_law {

/// Rows of two neighbouring data sets at the step that follows these releases.
using Rows = std::function<std::array<long, 2>(std::span<const long> releases)>;

/// y_k = nearest whole number of (scale z_k - sum_{s<k} C_ks y_s) / C_kk; a release is a row plus y_k.
struct RoundedMechanism {
  Eigen::MatrixXd shape;  ///< C, lower triangular
  double scale;           ///< standard deviation that z is claimed to have, in lattice units
  // Mistakes.
  double factor = 1;        ///< of the noise that is drawn, relative to the claimed noise
  double towards_zero = 0;  ///< probability with which a value goes to the next whole number towards zero
};

template <class Real>
Real upper_tail(const Real& x) {
  using boost::math::erfc;
  using std::erfc;
  using std::sqrt;
  return erfc(Real(x / sqrt(Real(2)))) / 2;
}

/// delta(epsilon) of mu-GDP.
template <class Real>
Real gaussian_curve(const Real& mu, const Real& epsilon) {
  using std::exp;
  return upper_tail<Real>(epsilon / mu - mu / 2) - exp(epsilon) * upper_tail<Real>(epsilon / mu + mu / 2);
}

/// The laws of all releases under two data sets, by enumeration of every sequence of releases.
template <class Real>
class Laws {
 public:
  /// Releases farther than `reach` deviations from both conditional means are left out.
  Laws(const RoundedMechanism& mechanism, Rows rows, const std::vector<Real>& epsilons, int reach)
      : mechanism_(mechanism), rows_(std::move(rows)), reach_(reach) {
    using std::exp;
    for (const Real& epsilon : epsilons) factors_.push_back(exp(epsilon));
    const Sums sums = sum_over(Real(1), Real(1), Real(0));
    for (std::size_t i = 0; i < factors_.size(); ++i)
      deltas_.push_back(std::max(sums[2 * i], sums[2 * i + 1]));
  }

  /// Sum of max(0, p - e^epsilon q) over the releases, p and q their probabilities under the two data sets,
  /// or the other way round, whichever is larger; one for every epsilon.
  [[nodiscard]] const std::vector<Real>& deltas() const { return deltas_; }
  /// No true delta is larger by more than this: what was left out has probability Phi(-reach) at most on each
  /// side of every step.
  [[nodiscard]] Real missing() const {
    return 2 * static_cast<double>(mechanism_.shape.rows()) * upper_tail(Real(reach_));
  }
  /// The largest |C Delta| / scale over all paths, Delta the difference of the rows.
  [[nodiscard]] Real mu() const {
    using std::sqrt;
    return sqrt(largest_squared_shift_);
  }

 private:
  using Sums = std::vector<Real>;  // two for every epsilon

  /// Normal distribution functions at first, first + 1, ...: the tail on the side that has less, so that
  /// differences far out keep their digits.
  struct Edges {
    Edges(const Real& first, std::size_t count, const Real& mean, const Real& deviation) {
      using std::abs;
      for (std::size_t i = 0; i < count; ++i) {
        const Real x = (first + Real(i) - mean) / deviation;
        is_upper.push_back(x > 0);
        tail.push_back(upper_tail(Real(abs(x))));
      }
    }
    [[nodiscard]] Real between(std::size_t i, std::size_t j) const {
      if (is_upper[i]) return tail[i] - tail[j];
      return is_upper[j] ? 1 - tail[i] - tail[j] : tail[j] - tail[i];
    }
    std::vector<bool> is_upper;
    std::vector<Real> tail;
  };

  /// Of noise first, first + 1, ... whose value is normal(mean, deviation).
  [[nodiscard]] std::vector<Real> probabilities(long first, std::size_t count, const Real& mean,
                                                const Real& deviation) const {
    const Edges halves(Real(first) - Real(0.5), count + 1, mean, deviation);
    std::vector<Real> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(halves.between(i, i + 1));
    if (mechanism_.towards_zero == 0) return result;
    const Edges wholes(Real(first - 1), count + 2, mean, deviation);
    for (std::size_t i = 0; i < count; ++i) {
      const long y = first + static_cast<long>(i);  // stands at wholes[i + 1]
      const Real towards_zero = wholes.between(y <= 0 ? i : i + 1, y >= 0 ? i + 2 : i + 1);
      result[i] += mechanism_.towards_zero * (towards_zero - result[i]);
    }
    return result;
  }

  /// Over all releases that follow, where the ones so far have probabilities p and q.
  Sums sum_over(const Real& p, const Real& q, const Real& squared_shift) {
    using std::floor;
    const auto k = static_cast<Eigen::Index>(releases_.size());
    const auto c = [&](Eigen::Index s) { return Real(mechanism_.shape(k, s)); };
    const std::array<long, 2> row = rows_(releases_);
    const Real deviation = Real(mechanism_.scale) * Real(mechanism_.factor) / c(k);
    std::array<Real, 2> mean{Real(0), Real(0)};  // of the noise's value, under each data set
    Real shift = c(k) * Real(row[1] - row[0]);   // [C Delta]_k
    for (Eigen::Index s = 0; s < k; ++s) {
      const std::array<long, 2>& noise = noises_[static_cast<std::size_t>(s)];
      for (std::size_t i = 0; i < 2; ++i) mean[i] -= c(s) / c(k) * Real(noise[i]);
      shift += c(s) * Real(noise[0] - noise[1]);
    }
    shift /= Real(mechanism_.scale);
    const Real total = squared_shift + shift * shift;
    const bool is_last = k + 1 == mechanism_.shape.rows();
    if (is_last) largest_squared_shift_ = std::max(largest_squared_shift_, total);

    const auto [low, high] = std::minmax({Real(mean[0] + row[0]), Real(mean[1] + row[1])});
    const auto first = static_cast<long>(floor(Real(low - reach_ * deviation))) - 1;
    const auto count =
        static_cast<std::size_t>(static_cast<long>(floor(Real(high + reach_ * deviation))) + 3 - first);
    const std::vector<Real> ps = probabilities(first - row[0], count, mean[0], deviation),
                            qs = probabilities(first - row[1], count, mean[1], deviation);
    Sums sums(2 * factors_.size(), Real(0));
    for (std::size_t i = 0; i < count; ++i) {
      const Real next_p = p * ps[i], next_q = q * qs[i];
      if (is_last) {
        for (std::size_t e = 0; e < factors_.size(); ++e) {
          const Real forwards = next_p - factors_[e] * next_q, backwards = next_q - factors_[e] * next_p;
          if (forwards > 0) sums[2 * e] += forwards;
          if (backwards > 0) sums[2 * e + 1] += backwards;
        }
        continue;
      }
      const long release = first + static_cast<long>(i);
      releases_.push_back(release);
      noises_.push_back({release - row[0], release - row[1]});
      const Sums part = sum_over(next_p, next_q, total);
      for (std::size_t e = 0; e < sums.size(); ++e) sums[e] += part[e];
      releases_.pop_back();
      noises_.pop_back();
    }
    return sums;
  }

  const RoundedMechanism& mechanism_;
  Rows rows_;
  int reach_;
  std::vector<Real> factors_, deltas_;
  std::vector<long> releases_;
  std::vector<std::array<long, 2>> noises_;
  Real largest_squared_shift_{0};
};

}  // namespace jme::exact_law
