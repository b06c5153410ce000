#include "shaping/scaled_blt_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace jme::shaping {
namespace {

template <std::size_t P>
using Pairs = std::array<double, P*(P + 1) / 2>;  ///< a symmetric matrix, (i, k) with k <= i at i (i+1)/2 + k

constexpr std::size_t at(std::size_t i, std::size_t k) {
  return i >= k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i;
}

/// Residues of prod(1 - up_i x) / prod(1 - down_i x) at its poles: weights[i] down_i^(m-1) summed over i is
/// coefficient m >= 1.
template <std::size_t P>
std::array<double, P> residues(const std::array<double, P>& down, const std::array<double, P>& up) {
  std::array<double, P> weights;
  for (std::size_t i = 0; i < P; ++i) {
    double weight = down[i] - up[i];
    for (std::size_t j = 0; j < P; ++j) {
      if (j != i) weight *= (down[i] - up[j]) / (down[i] - down[j]);
    }
    weights[i] = weight;
  }
  return weights;
}

/// Adds to down_bar and up_bar what follows from weights_bar.
template <std::size_t P>
void residues_adjoint(const std::array<double, P>& down, const std::array<double, P>& up,
                      const std::array<double, P>& weights, const std::array<double, P>& weights_bar,
                      std::array<double, P>& down_bar, std::array<double, P>& up_bar) {
  for (std::size_t i = 0; i < P; ++i) {
    const double bar = weights[i] * weights_bar[i];
    for (std::size_t j = 0; j < P; ++j) {
      const double inverse = 1 / (down[i] - up[j]);
      down_bar[i] += bar * inverse;
      up_bar[j] -= bar * inverse;
      if (j != i) {
        const double between = 1 / (down[i] - down[j]);
        down_bar[i] -= bar * between;
        down_bar[j] += bar * between;
      }
    }
  }
}

/// One evaluation. Notation of docs/theory/shaping.md#scaled-blt: t poles, th zeros, omega the weights of T,
/// nu those of T^-1, z unit noise, S the states of T^-1, and
///     d_j^2 = l_j^2 + omega' V(j) omega,            V(j-1) = l_j^2 + (t t') o V(j)            (backwards)
///     y = z/l + nu'S,  S <- th o S + z/l,  acc <- beta acc + d y,  v = Var acc
/// with P = Cov(S), q = Cov(S, acc). `_bar` is the derivative of the loss with respect to a quantity.
template <std::size_t P>
class Evaluation {
 public:
  Evaluation(const ScaledBltProblem& problem, std::span<const double> x)
      : problem_(problem), n_(problem.steps), beta_(problem.decay) {
    double y = 0;
    for (std::size_t i = 2 * P; i-- > 0;) {
      y += std::exp(x[i]);
      (i % 2 == 0 ? t_ : th_)[i / 2] = -beta_ * std::expm1(-y);
      slope_[i] = beta_ * std::exp(-y);
    }
    omega_ = residues<P>(t_, th_);
    nu_ = residues<P>(th_, t_);
    a_ = std::expm1(x[2 * P]);
    q_ = x[2 * P + 1];
    c_ = std::exp(x[2 * P + 2]);
    s_ = x[2 * P + 3];
  }

  double run(std::span<const double> x, std::span<double> gradient) {
    norms();
    const double loss = errors();
    if (!std::isfinite(loss)) return std::numeric_limits<double>::infinity();
    errors_adjoint();
    norms_adjoint();
    write_gradient(x, gradient);
    return loss;
  }

 private:
  struct Step {
    double l2, d, v;  // l_t^2, d_t, Var acc_t
    double d_bar, log_l_bar;
    Pairs<P> column, cov;         // V(j) and P before the step
    std::array<double, P> cross;  // q before the step
  };

  void norms() {
    steps_.resize(n_);
    const auto n = static_cast<double>(n_);
    Pairs<P> column{};
    for (std::size_t j = n_; j-- > 0;) {
      Step& step = steps_[j];
      const double time = static_cast<double>(j + 1);
      step.l2 = std::exp(2 * (q_ * std::log(time + a_) + s_ * std::log(n - time + c_)));
      step.column = column;
      double squared = step.l2;
      for (std::size_t i = 0; i < P; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
          double& sum = column[at(i, k)];
          squared += (i == k ? 1 : 2) * omega_[i] * omega_[k] * sum;
          sum = step.l2 + t_[i] * t_[k] * sum;
        }
      }
      step.d = std::sqrt(squared);
    }
  }

  static double quadratic(const Pairs<P>& m, const std::array<double, P>& x, std::array<double, P>& mx) {
    double sum = 0;
    for (std::size_t i = 0; i < P; ++i) {
      mx[i] = 0;
      for (std::size_t k = 0; k < P; ++k) mx[i] += m[at(i, k)] * x[k];
      sum += mx[i] * x[i];
    }
    return sum;
  }

  [[nodiscard]] double release_weight(std::size_t step) const {
    const double time = static_cast<double>(step + 1);
    return problem_.mean ? 1 / (time * time) : 1;
  }

  double errors() {
    Pairs<P> cov{};
    std::array<double, P> cross{}, cov_nu;
    double v = 0, largest = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      Step& step = steps_[j];
      step.cov = cov;
      step.cross = cross;
      const double lambda = 1 / step.l2;
      const double output = lambda + quadratic(cov, nu_, cov_nu);
      double with_acc = 0;
      for (std::size_t i = 0; i < P; ++i) with_acc += nu_[i] * cross[i];
      v = beta_ * beta_ * v + step.d * step.d * output + 2 * beta_ * step.d * with_acc;
      step.v = v;
      largest = std::max(largest, v * release_weight(j));
      for (std::size_t i = 0; i < P; ++i) {
        cross[i] = th_[i] * (beta_ * cross[i] + step.d * cov_nu[i]) + step.d * lambda;
        for (std::size_t k = 0; k <= i; ++k) cov[at(i, k)] = th_[i] * th_[k] * cov[at(i, k)] + lambda;
      }
    }
    largest_ = largest;
    double sum = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      sum += std::pow(steps_[j].v * release_weight(j) / largest, problem_.exponent);
    }
    sum_ = sum;
    return std::log(largest) + std::log(sum / static_cast<double>(n_)) / problem_.exponent;
  }

  void errors_adjoint() {
    Pairs<P> cov_bar{};
    std::array<double, P> cross_bar{}, cov_nu;
    double v_bar = 0;
    for (std::size_t j = n_; j-- > 0;) {
      Step& step = steps_[j];
      const double d = step.d, lambda = 1 / step.l2;
      const double relative = step.v * release_weight(j) / largest_;
      v_bar = beta_ * beta_ * v_bar +
              std::pow(relative, problem_.exponent - 1) * release_weight(j) / (largest_ * sum_);
      const double output = lambda + quadratic(step.cov, nu_, cov_nu);
      double with_acc = 0, cross_sum = 0, cov_sum = 0, d_bar = 0;
      std::array<double, P> pulled;  // th o cross_bar
      for (std::size_t i = 0; i < P; ++i) {
        with_acc += nu_[i] * step.cross[i];
        pulled[i] = th_[i] * cross_bar[i];
        cross_sum += cross_bar[i];
        d_bar += pulled[i] * cov_nu[i];
        th_bar_[i] += cross_bar[i] * (beta_ * step.cross[i] + d * cov_nu[i]);
      }
      for (std::size_t i = 0; i < P; ++i) {
        double cov_pulled = 0, through_cov = 0;
        for (std::size_t k = 0; k < P; ++k) {
          cov_pulled += step.cov[at(i, k)] * pulled[k];
          through_cov += cov_bar[at(i, k)] * th_[k] * step.cov[at(i, k)];
          cov_sum += cov_bar[at(i, k)];
        }
        th_bar_[i] += 2 * through_cov;
        nu_bar_[i] += v_bar * 2 * (d * d * cov_nu[i] + beta_ * d * step.cross[i]) + d * cov_pulled;
      }
      step.d_bar = d_bar + cross_sum * lambda + v_bar * 2 * (d * output + beta_ * with_acc);
      const double lambda_bar = v_bar * d * d + d * cross_sum + cov_sum;
      step.log_l_bar = -2 * lambda * lambda_bar;
      for (std::size_t i = 0; i < P; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
          double& bar = cov_bar[at(i, k)];
          bar = th_[i] * th_[k] * bar + v_bar * d * d * nu_[i] * nu_[k] +
                d * (pulled[i] * nu_[k] + pulled[k] * nu_[i]) / 2;
        }
      }
      for (std::size_t i = 0; i < P; ++i) cross_bar[i] = beta_ * (pulled[i] + 2 * v_bar * d * nu_[i]);
    }
  }

  void norms_adjoint() {
    Pairs<P> column_bar{};
    std::array<double, P> column_omega;
    for (std::size_t j = 0; j < n_; ++j) {
      Step& step = steps_[j];
      const double squared_bar = step.d_bar / (2 * step.d);
      quadratic(step.column, omega_, column_omega);
      double l2_bar = squared_bar;
      for (std::size_t i = 0; i < P; ++i) {
        omega_bar_[i] += 2 * squared_bar * column_omega[i];
        for (std::size_t k = 0; k < P; ++k) {
          const double bar = column_bar[at(i, k)];
          l2_bar += bar;
          t_bar_[i] += 2 * bar * t_[k] * step.column[at(i, k)];
        }
      }
      step.log_l_bar += 2 * step.l2 * l2_bar;
      for (std::size_t i = 0; i < P; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
          double& bar = column_bar[at(i, k)];
          bar = t_[i] * t_[k] * bar + squared_bar * omega_[i] * omega_[k];
        }
      }
    }
  }

  void write_gradient(std::span<const double> x, std::span<double> gradient) {
    residues_adjoint<P>(t_, th_, omega_, omega_bar_, t_bar_, th_bar_);
    residues_adjoint<P>(th_, t_, nu_, nu_bar_, th_bar_, t_bar_);
    double y_bar = 0;  // of all y at or above gap i
    for (std::size_t i = 0; i < 2 * P; ++i) {
      y_bar += (i % 2 == 0 ? t_bar_ : th_bar_)[i / 2] * slope_[i];
      gradient[i] = y_bar * std::exp(x[i]);
    }
    double a_bar = 0, q_bar = 0, c_bar = 0, s_bar = 0;
    const auto n = static_cast<double>(n_);
    for (std::size_t j = 0; j < n_; ++j) {
      const double time = static_cast<double>(j + 1), bar = steps_[j].log_l_bar;
      a_bar += bar / (time + a_);
      q_bar += bar * std::log(time + a_);
      c_bar += bar / (n - time + c_);
      s_bar += bar * std::log(n - time + c_);
    }
    gradient[2 * P] = a_bar * q_ * (1 + a_);
    gradient[2 * P + 1] = q_bar;
    gradient[2 * P + 2] = c_bar * s_ * c_;
    gradient[2 * P + 3] = s_bar;
  }

  const ScaledBltProblem& problem_;
  std::size_t n_;
  double beta_;
  std::array<double, P> t_, th_, omega_, nu_;
  std::array<double, 2 * P> slope_;
  double a_, q_, c_, s_;
  double largest_ = 0, sum_ = 0;
  std::array<double, P> t_bar_{}, th_bar_{}, omega_bar_{}, nu_bar_{};
  std::vector<Step> steps_;
};

}  // namespace

double scaled_blt_log_loss(const ScaledBltProblem& problem, std::span<const double> x,
                           std::span<double> gradient) {
  switch ((x.size() - 4) / 2) {
    case 1:
      return Evaluation<1>(problem, x).run(x, gradient);
    case 2:
      return Evaluation<2>(problem, x).run(x, gradient);
    case 3:
      return Evaluation<3>(problem, x).run(x, gradient);
    case 4:
      return Evaluation<4>(problem, x).run(x, gradient);
    case 5:
      return Evaluation<5>(problem, x).run(x, gradient);
    default:
      return Evaluation<6>(problem, x).run(x, gradient);
  }
}

}  // namespace jme::shaping
