#pragma once

#include <span>

#include <Eigen/Core>

#include <jme/moments/release.hpp>

namespace jme {

/// The law of the noise on mean and covariance of one release, in the unit box, and the standard deviation
/// it gives to a smooth function of them.
///
/// The mean is m + e, e ~ N(0, v1 I). The second moment is S + F with F symmetric and <G, F> ~ N(0, v2
/// ||G||^2) for every symmetric G: that is what half the variance off the diagonal means
/// (docs/theory/calibration.md#symmetric-noise). So the covariance S - mm' + v1 I moves by dC = F - me' - em'
/// - (ee' - v1 I), and a function with gradients g (by the mean) and G (by the covariance) by g'e + <G, dC>,
/// whose variance is
///
///     (v2 + 2 v1^2) ||G||^2 + v1 ||g - 2 G m||^2
///
/// exactly where the function is linear, to first order elsewhere. The mean is taken as released.
/// PP squares the noise of its first channel: there the standard deviations of the parts add up, and v2 is an
/// upper bound over all data, so the result is an upper bound too (models/GUARANTEES.md).
class MomentNoise {
 public:
  explicit MomentNoise(const Release& release);
  /// No noise at all: for numbers that are public.
  static MomentNoise none(std::size_t dimension);

  /// A term a' dC b of a function's differential.
  struct Product {
    Eigen::VectorXd a, b;
  };

  /// Standard deviation of g'dm + <G, dC>; G symmetric.
  [[nodiscard]] double std_of(const Eigen::VectorXd& g, const Eigen::MatrixXd& G) const;
  /// Standard deviation of g'dm + sum_k a_k' dC b_k.
  [[nodiscard]] double std_of(const Eigen::VectorXd& g, std::span<const Product> products) const;
  /// The same from ||G||^2 and ||g - 2 G m||^2.
  [[nodiscard]] double std_from(double squared_norm, double squared_mean_part) const;

  [[nodiscard]] double mean_variance() const { return v1_; }    ///< v1
  [[nodiscard]] double second_variance() const { return v2_; }  ///< v2, of a diagonal entry
  [[nodiscard]] const Eigen::VectorXd& mean() const { return mean_; }
  /// Root mean square, over directions u, of the noise on the variance u'Cu: a variance below it cannot be
  /// told from zero.
  [[nodiscard]] double level() const;
  /// Mean eigenvalue of E[dC^2] for the covariance of some of the columns; `means` are the means of these
  /// columns.
  [[nodiscard]] double squared_level(const Eigen::VectorXd& means) const;

 private:
  MomentNoise(double v1, double v2, Eigen::VectorXd mean, bool shared);
  double v1_, v2_;
  Eigen::VectorXd mean_;
  bool shared_;
};

}  // namespace jme
