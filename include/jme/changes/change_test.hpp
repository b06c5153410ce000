#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/theory/increments.hpp>

namespace jme {

/// Where a change may begin and how large it may be: what a change test mixes over. Public, fixed before the
/// first release. Any choice keeps the guarantee; this one decides how soon a change is found.
struct ChangeGrid {
  struct Start {
    std::size_t step;  ///< the first block after the change, at least 1
    double weight;     ///< the weights of all starts add up to at most 1
  };
  std::vector<Start> starts;   ///< ascending
  std::vector<double> shifts;  ///< typical changes of the mean, weighted alike
};
/// 199 starts or fewer at equal distances; without a horizon 32 for each doubling of the time. `scale` is the
/// largest value of a row.
[[nodiscard]] ChangeGrid change_grid(const Horizon& horizon, double scale);

/// An e-process against a change of the mean of rows, of which the blocks' released sums are given one after
/// another: E_t, which starts at 1. If the mean never changes, E_t reaches 1/alpha anywhere in the stream
/// with probability at most alpha, whatever the mean is (changes/GUARANTEES.md#change-alarms, D1, which also
/// says what is assumed of the rows; D2: also where the sampling variance is overstated).
class ChangeTest {
 public:
  /// `c` and `std`: the noise of the channel (Mechanism::c1, Calibration::std_first). Throws InvalidParameter
  /// for a shape that cannot be tested over so many steps (IncrementWhitening).
  ChangeTest(const Filter& c, double std, ChangeGrid grid);

  /// The next block: its increment y, the sum k of its rows' weights (all rows of the same mean add k times
  /// that mean), and a bound v of its sampling variance that was fixed before the first block.
  void next(double y, double k, double v);

  [[nodiscard]] double log_e() const { return log_e_; }
  /// Where the change most probably began: the start whose part of E_t is largest; none before the first.
  [[nodiscard]] std::optional<std::size_t> likely_start() const;

 private:
  struct Term {
    double weight;
    std::size_t step;
    double mean_sum = 0;  // sum of d w, for the unknown mean
    double m = 0, v = 0;
    double log_e = 0;
  };
  [[nodiscard]] double log_mixture(const Term& term) const;
  void begin_due_terms();
  ChangeGrid grid_;
  IncrementWhitening whitening_;
  std::vector<Term> terms_{};  // of starts that have come
  double pending_ = 1;         // weight of those to come
  double design_squares_ = 0, data_mean_sum_ = 0;
  double log_e_ = 0;
  std::size_t step_ = 0;
  std::vector<double> values_{};
};

}  // namespace jme
