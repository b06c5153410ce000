#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <jme/models/best_estimate.hpp>
#include <jme/models/divisors.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// The law of the noise on mean and covariance of one release, in the unit box, and the standard deviation
/// it gives to a smooth function of them.
///
/// Sums X + e, products S + F and counts N + n carry independent noise, and m_i = X_i/N_i, s_ij = S_ij/N_ij.
/// To first order
///
///     dm_i = (e_i - m_i n_i)/N_i,      dC_ij = (F_ij - s_ij n_ij)/N_ij - m_i dm_j - m_j dm_i,
///
/// where n_ii is n_i. A function with gradients g (by the mean) and G (by the covariance) moves by g'dm +
/// <G, dC>. With h = g - 2 G m its variance is, for counts of cells and pairs,
///
///     sum_i [h_i^2 v1 + G_ii^2 vd + (h_i m_i + G_ii s_ii)^2 vc]/N_i^2
///         + sum_{i<j} 4 G_ij^2 (vo + s_ij^2 vp)/N_ij^2,
///
/// and where one divisor serves all columns (all variances divided by its square, vr = 0 if it is public)
///
///     v1 ||h||^2 + 2 vo ||G||^2 + (vd - 2 vo) sum_i G_ii^2 + (h'm + <G, S/N>)^2 vr.
///
/// The square of the mean's noise adds 2 sum_ij G_ij^2 v1_i v1_j. In the ball vd = 2 vo and F is isotropic:
/// (vd + 2 v1^2) ||G||^2 + v1 ||h||^2 is then exact for linear functions. Where the diagonal was corrected by
/// a trace that was released besides, its entries have a covariance c < 0: the variance of an entry is then
/// vd + c, and c (tr G)^2 is added to all of the above. The mean is taken as released.
/// PP squares the noise of its first channel: there the standard deviations of the parts add up, and vd is an
/// upper bound over all data, so the result is an upper bound too (models/GUARANTEES.md).
class MomentNoise {
 public:
  explicit MomentNoise(const Release& release);
  /// NaN where a divisor is.
  MomentNoise(const Release& release, const Divisors& divisors);
  /// No noise at all: for numbers that are public.
  static MomentNoise none(std::size_t dimension);

  /// A term a' dC b of a function's differential.
  struct Product {
    Eigen::VectorXd a, b;
  };
  /// A function of two columns: ii dC_ii + jj dC_jj + 2 ij dC_ij.
  struct PairGradient {
    double ii = 0, jj = 0, ij = 0;
  };
  /// What is needed of gradients where one divisor serves all columns.
  struct Parts {
    double norm = 0;      ///< ||G||^2
    double diagonal = 0;  ///< sum_i G_ii^2
    double trace = 0;     ///< (tr G)^2
    double mean = 0;      ///< ||h||^2
    double count = 0;     ///< (h'm + <G, S/N>)^2; matters where the divisor is noisy
  };

  /// Standard deviation of g'dm + <G, dC>; G symmetric.
  [[nodiscard]] double std_of(const Eigen::VectorXd& g, const Eigen::MatrixXd& G) const;
  /// Standard deviation of g'dm + sum_k a_k' dC b_k.
  [[nodiscard]] double std_of(const Eigen::VectorXd& g, std::span<const Product> products) const;
  /// Standard deviation of a function of the covariance of columns i and j; ii alone where they are the same.
  [[nodiscard]] double std_of_pair(Eigen::Index i, Eigen::Index j, const PairGradient& gradient) const;
  /// Standard deviation of the mean of column i.
  [[nodiscard]] double std_of_mean(Eigen::Index i) const;
  /// True where one divisor serves all columns.
  [[nodiscard]] bool has_one_divisor() const { return cell_.v1.size() == 0; }
  /// Only where it does.
  [[nodiscard]] double std_from(const Parts& parts) const;

  [[nodiscard]] const Eigen::VectorXd& mean() const { return mean_; }
  /// S/N as released, entry by entry; empty where counts are public.
  [[nodiscard]] const Eigen::MatrixXd& second() const { return second_; }
  /// Largest variance of u'dm over directions u (at most, where one noisy divisor serves all columns).
  [[nodiscard]] double mean_level() const;
  /// Root mean square, over directions u, of the noise on the variance u'Cu: a variance below it cannot be
  /// told from zero.
  [[nodiscard]] double level() const;
  /// The same for some of the columns.
  [[nodiscard]] double level(std::span<const Eigen::Index> columns) const;
  /// Variances of the noise on the covariance's entries, for best_estimate: where one divisor serves all
  /// columns, means over the columns. None (0) for PP, whose noise is bounded but not known.
  [[nodiscard]] EntryVariances entry_variances() const;
  /// Mean eigenvalue of E[dC^2] for the covariance of some of the columns.
  [[nodiscard]] double squared_level(std::span<const Eigen::Index> columns) const;

 private:
  MomentNoise() = default;
  void set_one_divisor(const Release& release, double first, double second);
  void set_cells(const Release& release, const Divisors& divisors);
  [[nodiscard]] double cells_variance(const Eigen::VectorXd& g, const Eigen::MatrixXd& G) const;

  Eigen::VectorXd mean_;
  Eigen::MatrixXd second_;
  bool shared_ = false;
  // One divisor: variances of the mean, of the second moment off the diagonal (twice) and on it, of the
  // divisor relative to itself.
  double v1_ = 0, twice_off_ = 0, diagonal_ = 0, rows_ = 0;
  double between_ = 0;  // covariance of two diagonal entries, which `diagonal_` is without
  bool isotropic_ = true;
  // Counts of cells and pairs: the same with each one's own divisor.
  struct {
    Eigen::VectorXd v1, count;
    Eigen::MatrixXd second;  ///< weight of G_ij^2, both of (i, j) and (j, i) counted
  } cell_;
};

}  // namespace jme
