#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <jme/base/horizon.hpp>
#include <jme/calibration/calibration.hpp>
#include <jme/filter/filter.hpp>
#include <jme/filter/sum_words.hpp>
#include <jme/mechanism/stream_config.hpp>

namespace jme {

/// The public grids on which data and noise meet (docs/theory/safety.md#data-on-the-lattice): rows are
/// multiples of `first`, block sums of products multiples of `second`. Counts of cells and rows are whole
/// numbers, on a grid of 2^-20 whatever the units of the rows.
struct Lattice {
  double first;                ///< gamma1 = 2^-20 zeta, in the box 2^-20
  double second;               ///< gamma2 = first^2 2^product_bits
  unsigned product_bits = 20;  ///< more in the box of many columns, where noise is larger
};

class MechanismFamily;

/// A configuration made concrete and checked once: filters, sensitivity and the pair (std1, std2).
/// Holds no data and no randomness; the engine runs it and theory predicts it.
class Mechanism {
 public:
  explicit Mechanism(const StreamConfig& config);
  /// The same, sharing what takes time with others of its family.
  Mechanism(const StreamConfig& config, MechanismFamily& family);

  [[nodiscard]] const StreamConfig& config() const { return config_; }
  [[nodiscard]] const Horizon& horizon() const { return horizon_; }
  [[nodiscard]] const Workload& workload_first() const { return config_.workload; }
  [[nodiscard]] const Workload& workload_second() const {
    return config_.workload_second ? *config_.workload_second : config_.workload;
  }
  /// Both channels have the same workload and the same shape: what is known about the noise of one holds for
  /// both.
  [[nodiscard]] bool second_is_like_first() const;
  /// Steps that expected errors are summed over: the horizon, or the first 2^20 where there is none.
  [[nodiscard]] std::size_t error_steps() const;
  [[nodiscard]] bool has_second() const { return config_.second != SecondMoment::none; }
  /// Resolved shapes: never `automatic`.
  [[nodiscard]] const Shape& shape_first() const;
  [[nodiscard]] const Shape& shape_second() const;

  /// A1, A2 over the horizon's steps.
  [[nodiscard]] const Filter& a1() const;
  [[nodiscard]] const Filter& a2() const;
  /// C1, C2 over steps. PP adds noise to rows, so there C1 runs over rows.
  [[nodiscard]] const Filter& c1() const;
  [[nodiscard]] const Filter& c2() const;

  /// Noise multiplier in use. From (epsilon, delta) it is a little more than the exact Gaussian calibration:
  /// the part of the budget that rounding errors inside the noise could use is set aside first
  /// (noise/GUARANTEES.md).
  [[nodiscard]] double sigma() const { return sigma_; }
  /// The whole stream is mu-GDP, including everything that is proved about the program, except for pasts of
  /// the noise that have probability bad_past() (privacy/gaussian.hpp, gdp_epsilon).
  [[nodiscard]] double mu() const { return mu_; }
  [[nodiscard]] double bad_past() const { return bad_past_; }
  /// What rounding errors inside the noise cost: relative extra noise, or relative extra mu where sigma was
  /// given.
  [[nodiscard]] double sampler_cost() const { return sampler_cost_; }
  [[nodiscard]] const Exposure& exposure() const;
  [[nodiscard]] RowModel row_model() const;
  [[nodiscard]] const Calibration& calibration() const { return calibration_; }
  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  /// Ball (with the trace besides, or without it) or box: never `automatic`.
  [[nodiscard]] Geometry geometry() const { return geometry_; }
  /// Where noise is drawn: one draw per step, or one draw per row for PP.
  [[nodiscard]] Horizon noise_horizon() const {
    return squares_noisy_rows(config_.method) ? horizon_.by_row() : horizon_;
  }
  /// Two words where the rounding errors of one word would cost more than a thousandth of the noise.
  [[nodiscard]] SumWords sum_words() const { return sum_words_; }
  /// lambda* (0 under add-remove or without a second moment).
  [[nodiscard]] double lambda_free() const { return lambda_free_; }

 private:
  [[nodiscard]] RowModel row_model(Geometry geometry) const;
  [[nodiscard]] std::optional<double> asked_lambda(const RowModel& rows) const;
  [[nodiscard]] bool has_free_trace() const;
  [[nodiscard]] Geometry chosen_geometry() const;
  [[nodiscard]] Calibration calibrated(Geometry geometry, double sigma) const;
  void pay_for_rounding();
  friend class MechanismFamily;
  struct Parts;
  Mechanism(const StreamConfig& config, MechanismFamily* family);
  [[nodiscard]] std::shared_ptr<const Parts> make_parts() const;

  StreamConfig config_;
  Horizon horizon_;
  std::shared_ptr<const Parts> parts_;
  double sigma_, mu_, bad_past_ = 0, sampler_cost_ = 0;
  SumWords sum_words_ = SumWords::one;
  Geometry geometry_;
  Lattice lattice_;
  Calibration calibration_;
  double lambda_free_;
};

}  // namespace jme
