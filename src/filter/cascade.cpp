#include "filter/cascade.hpp"

#include <algorithm>
#include <cmath>

#include "filter/series.hpp"

namespace jme {
namespace {

struct Term {
  std::size_t slot;
  double factor;
};
using Functional = std::vector<Term>;

/// Covariance matrix of the random variables kept in numbered slots.
class SlotCovariance {
 public:
  explicit SlotCovariance(std::size_t slots) : slots_(slots), matrix_(slots * slots, 0.0), row_(slots) {}

  /// The variable in `slot` becomes the functional of the present ones plus independent noise. The functional
  /// may mention `slot` itself.
  void assign(std::size_t slot, const Functional& functional, double noise_variance) {
    std::fill(row_.begin(), row_.end(), 0.0);
    for (const Term& term : functional) {
      const double* other = &matrix_[term.slot * slots_];
      for (std::size_t s = 0; s < slots_; ++s) row_[s] += term.factor * other[s];
    }
    double variance = noise_variance;
    for (const Term& term : functional) variance += term.factor * row_[term.slot];
    row_[slot] = variance;
    for (std::size_t s = 0; s < slots_; ++s) {
      const double value = std::abs(row_[s]) < negligible ? 0.0 : row_[s];
      matrix_[slot * slots_ + s] = value;
      matrix_[s * slots_ + slot] = value;
    }
  }

  [[nodiscard]] double variance(const Functional& functional) const {
    double variance = 0;
    for (std::size_t i = 0; i < functional.size(); ++i) {
      const double* row = &matrix_[functional[i].slot * slots_];
      double cross = 0;
      for (std::size_t j = 0; j < i; ++j) cross += functional[j].factor * row[functional[j].slot];
      variance += functional[i].factor * (2 * cross + functional[i].factor * row[functional[i].slot]);
    }
    return std::max(variance, 0.0);
  }

 private:
  std::size_t slots_;
  std::vector<double> matrix_, row_;
};

/// A stage's slots: a ring of as many series inputs as there are taps, the newest included, then the modes'
/// sums.
class StageSlots {
 public:
  StageSlots(const Stage& stage, std::size_t first_slot) : stage_(stage), first_(first_slot) {}

  /// Takes the input (a functional plus noise), and leaves the output as a functional of the slots.
  void step(std::size_t t, SlotCovariance& covariance, Functional& value, double noise_variance) {
    const std::vector<double>& taps = stage_.series->taps;
    const std::vector<Mode>& modes = stage_.series->modes;
    const std::size_t reach = std::min(taps.size(), t + 1);
    if (stage_.feedback) {
      for (Term& term : value) term.factor /= taps[0];
      noise_variance /= taps[0] * taps[0];
      for (std::size_t j = 1; j < reach; ++j) value.push_back({ring(t - j), -taps[j] / taps[0]});
      for (std::size_t i = 0; i < modes.size(); ++i) value.push_back({sum(i), -modes[i].weight / taps[0]});
      covariance.assign(ring(t), value, noise_variance);
      value.assign({{ring(t), 1.0}});
      return;
    }
    covariance.assign(ring(t), value, noise_variance);
    value.clear();
    for (std::size_t j = 0; j < reach; ++j) value.push_back({ring(t - j), taps[j]});
    for (std::size_t i = 0; i < modes.size(); ++i) value.push_back({sum(i), modes[i].weight});
  }

  /// The modes take in the input that leaves the taps. Call only after the step's output was used.
  void advance(std::size_t t, SlotCovariance& covariance) {
    const std::size_t taps = stage_.series->taps.size();
    if (t + 1 < taps) return;
    for (std::size_t i = 0; i < stage_.series->modes.size(); ++i) {
      scratch_.assign({{sum(i), stage_.series->modes[i].pole}, {ring(t + 1 - taps), 1.0}});
      covariance.assign(sum(i), scratch_, 0.0);
    }
  }

  [[nodiscard]] std::size_t sum(std::size_t mode) const { return first_ + stage_.series->taps.size() + mode; }

 private:
  [[nodiscard]] std::size_t ring(std::size_t t) const { return first_ + t % stage_.series->taps.size(); }

  Stage stage_;
  std::size_t first_;
  Functional scratch_;
};

}  // namespace

std::size_t states(const Cascade& cascade) {
  return cascade.first.states() + (cascade.second ? cascade.second->states() : 0);
}

std::vector<double> output_variances(const Cascade& cascade) {
  const std::size_t n = cascade.noise.size();
  SlotCovariance covariance(states(cascade));
  StageSlots first(cascade.first, 0);
  std::optional<StageSlots> second;
  if (cascade.second) second.emplace(*cascade.second, cascade.first.states());
  std::vector<double> variances(n);
  Functional value;
  for (std::size_t t = 0; t < n; ++t) {
    value.clear();
    first.step(t, covariance, value, cascade.noise[t] * cascade.noise[t]);
    for (Term& term : value) term.factor *= cascade.gain[t];
    if (second) {
      second->step(t, covariance, value, 0.0);
      if (cascade.last_mode_weight && t + 1 == n) value.back().factor = *cascade.last_mode_weight;
    }
    variances[t] = covariance.variance(value);
    first.advance(t, covariance);
    if (second) second->advance(t, covariance);
  }
  return variances;
}

}  // namespace jme
