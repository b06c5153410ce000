#pragma once

#include <cstddef>
#include <vector>

#include "experiments/monte_carlo.hpp"
#include "experiments/sigma_curve.hpp"

namespace jme::experiments {

/// Two estimates of the second moment from one run of JME with C1 = I, at the price of one: its second
/// channel, and the debiased squares of its noisy rows, which are what PP publishes. Both are unbiased and
/// their noises are independent, so that the mean of them weighted by inverse variances, release by release,
/// has a squared error of sum_t j_t p_t / (j_t + p_t): less than JME's sum j_t and less than PP's sum p_t.
/// There is one release per row; rows have norm 1.
class BothEstimates {
 public:
  BothEstimates(const Workload& workload, std::size_t rows, std::size_t dimension);

  /// JME with C1 = I and the library's choice for C2; the budget is left open.
  [[nodiscard]] const StreamConfig& config() const { return config_; }
  [[nodiscard]] const SigmaCurve& jme() const { return jme_; }
  [[nodiscard]] const SigmaCurve& pp_debiased() const { return pp_; }
  /// Squared error of the weighted mean, at the stream where it is largest: rows of full norm, whose PP error
  /// is the largest at every release at once.
  [[nodiscard]] double squared_error(double sigma) const;
  /// JME's weight at every release.
  [[nodiscard]] std::vector<double> weights(double sigma) const;
  /// The limit of squared_error divided by PP's squared error as sigma goes to 0.
  [[nodiscard]] double low_privacy_ratio() const;

 private:
  StreamConfig config_;
  SigmaCurve jme_, pp_;
  // Each release's share of the whole error. For C = I a row's squares have the same error at every step, so
  // that release t has PP's error times ||row t of A||^2.
  std::vector<double> jme_parts_, pp_parts_;
};

/// Squared error of the weighted mean, made from the releases of the engine alone: the noisy rows are A1^-1
/// times its first moments.
[[nodiscard]] Sample simulated_both(const Effort& effort, const BothEstimates& both, double sigma,
                                    std::size_t runs, std::string_view what);

}  // namespace jme::experiments
