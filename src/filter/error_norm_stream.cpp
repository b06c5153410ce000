#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Core>

#include <jme/base/errors.hpp>
#include <jme/filter/error_norm_stream.hpp>
#include <jme/filter/norms.hpp>

#include "filter/compensated_sum.hpp"
#include "filter/error_norm_recursion.hpp"
#include "filter/series.hpp"

namespace jme {

namespace {

/// A = diag(row) (tap + weight x / (1 - pole x)): out = tap x + weight m, m <- pole m + x.
struct Release {
  explicit Release(const Filter& a)
      : tap(a.core().taps[0]),
        weight(a.core().modes.empty() ? 0.0 : a.core().modes[0].weight),
        pole(a.core().modes.empty() ? 0.0 : a.core().modes[0].pole),
        last_weight(a.last_mode_weight()),
        row(a.row()),
        steps(a.steps()) {}
  [[nodiscard]] double weight_at(std::size_t step) const {
    return last_weight && step + 1 == steps ? *last_weight : weight;
  }
  double tap, weight, pole;
  std::optional<double> last_weight;
  Schedule row;
  std::size_t steps;
};

/// C = T: rows of A C^-1 are the first coefficients of T_A / T, so their norms are running sums of squares.
class ToeplitzRecursion : public ErrorNormStream::Recursion {
 public:
  ToeplitzRecursion(const Filter& a, const Filter& c)
      : release_(a), core_(c.core()), sums_(core_.modes.size(), 0.0) {}

  void next(std::span<double> out) override {
    for (double& norm : out) {
      const double inverse = coefficient();
      squares_.add(inverse, memory_);
      norm = squares_.of(release_.tap, release_.weight_at(done_), rows_.at(release_.row, done_));
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        sums_[i] = flushed(core_.modes[i].pole * sums_[i] + inverse);
      }
      memory_ = flushed(release_.pole * memory_ + inverse);
      ++done_;
    }
  }

  double last(const FilterStream::LastStep& last) override {
    Squares squares = squares_;
    squares.add(coefficient(), memory_);
    return squares.of(release_.tap, last.mode_weight.value_or(release_.weight_at(done_)),
                      last.row ? *last.row : rows_.at(release_.row, done_));
  }

 private:
  /// Sums over the past from which the norm follows for any weight of the mode.
  struct Squares {
    CompensatedSum inverse, products, memory;
    void add(double b, double m) {
      inverse.add(b * b);
      products.add(b * m);
      memory.add(m * m);
    }
    [[nodiscard]] double of(double tap, double weight, double row) const {
      const double norm = tap * tap * inverse.value() + 2 * tap * weight * products.value() +
                          weight * weight * memory.value();
      return row * row * std::max(norm, 0.0);
    }
  };
  static double flushed(double value) { return std::abs(value) < negligible ? 0.0 : value; }
  [[nodiscard]] double coefficient() const {
    double known = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) known += core_.modes[i].weight * sums_[i];
    return ((done_ == 0 ? 1.0 : 0.0) - known) / core_.taps[0];
  }

  Release release_;
  Toeplitz core_;
  std::vector<double> sums_;
  double memory_ = 0;
  Squares squares_;
  ScheduleReader rows_;
  std::size_t done_ = 0;
};

/// C = diag(row) T diag(column): covariance of the states of C^-1 and A under white noise, exactly, step by
/// step (SHAPING). With c_0 the tap of T, w and p its modes, S their running sums, m that of A:
///     y = (z / row - w'S) / c_0,  S <- p o S + y,  x = y / column,  m <- pole m + x.
/// `Size`: modes rounded up to whole vectors; what is beyond them has weight 0.
template <int Size>
class ScheduledRecursion : public ErrorNormStream::Recursion {
 public:
  ScheduledRecursion(const Filter& a, const Filter& c)
      : release_(a), row_(c.row()), column_(c.column()), tap_(c.core().taps[0]) {
    const auto modes = static_cast<Eigen::Index>(c.core().modes.size());
    if constexpr (Size == Eigen::Dynamic) {
      for (Vector* vector : {&poles_, &weights_, &state_.cross}) vector->resize(modes);
      state_.sums.resize(modes, modes);
    }
    poles_.setZero();
    weights_.setZero();
    for (Eigen::Index i = 0; i < modes; ++i) {
      poles_(i) = c.core().modes[static_cast<std::size_t>(i)].pole;
      weights_(i) = c.core().modes[static_cast<std::size_t>(i)].weight;
    }
    ratios_ = poles_ * poles_.transpose();
    state_.sums.setZero();
    state_.cross.setZero();
  }

  void next(std::span<double> out) override {
    State state = state_;
    for (double& norm : out) {
      const Step step = advance(state);
      const double row = rows_a_.at(release_.row, done_);
      norm = row * row * step.variance(release_.tap, release_.weight_at(done_));
      ++done_;
    }
    state_ = state;
  }

  double last(const FilterStream::LastStep& last) override {
    State state = state_;
    const double row = last.row ? *last.row : rows_a_.at(release_.row, done_);
    return row * row *
           advance(state).variance(release_.tap, last.mode_weight.value_or(release_.weight_at(done_)));
  }

 private:
  using Vector = Eigen::Matrix<double, Size, 1>;
  using Square = Eigen::Matrix<double, Size, Size>;
  struct State {
    Square sums;        // Cov(S)
    Vector cross;       // Cov(S, m)
    double memory = 0;  // Var m
  };
  /// What a release sees: x and m before the step.
  struct Step {
    double fresh, both, memory;  // Var x, Cov(x, m), Var m
    [[nodiscard]] double variance(double tap, double weight) const {
      return std::max(tap * (tap * fresh + 2 * weight * both) + weight * weight * memory, 0.0);
    }
  };

  Step advance(State& s) {
    const double row = 1 / rows_.at(row_, done_), gain = 1 / columns_.at(column_, done_);
    const double inverse_tap = 1 / tap_;
    Vector along = s.sums * weights_;
    const double y = (row * row + weights_.dot(along)) * inverse_tap * inverse_tap;  // Var y
    const double y_memory = -weights_.dot(s.cross) * inverse_tap;                    // Cov(y, m)
    along = along.cwiseProduct(poles_) * inverse_tap;                                // -p o Cov(S, y)
    const Step step{.fresh = gain * gain * y, .both = gain * y_memory, .memory = s.memory};
    const double pole = release_.pole;
    s.cross = (pole * poles_.cwiseProduct(s.cross) - gain * along).array() + (pole * y_memory + gain * y);
    s.memory = pole * (pole * s.memory + 2 * step.both) + step.fresh;
    s.sums = s.sums.cwiseProduct(ratios_);
    for (Eigen::Index j = 0; j < along.size(); ++j) s.sums.col(j).array() += (y - along(j)) - along.array();
    return step;
  }

  Release release_;
  Schedule row_, column_;
  double tap_;
  Vector poles_, weights_;
  Square ratios_;
  State state_;
  ScheduleReader rows_, columns_, rows_a_;
  std::size_t done_ = 0;
};

bool has_few_states(const Filter& a, const Filter& c) {
  const auto one_tap = [](const Filter& filter) {
    return !filter.is_dense() && !filter.core().inverted && filter.core().taps.size() == 1 &&
           filter.core().lag_taps.empty() && (!filter.last_row() || filter.last_mode_weight());
  };
  return one_tap(a) && one_tap(c) && !c.last_row() && a.core().modes.size() <= 1 && a.column().is_one() &&
         c.core().modes.size() <= 16;
}

}  // namespace

std::unique_ptr<ErrorNormStream::Recursion> ErrorNormStream::Recursion::of(const Filter& a, const Filter& c) {
  if (!has_few_states(a, c)) return nullptr;
  if (c.is_toeplitz()) return std::make_unique<ToeplitzRecursion>(a, c);
  const std::size_t modes = c.core().modes.size();
  if (modes <= 2) return std::make_unique<ScheduledRecursion<2>>(a, c);
  if (modes <= 4) return std::make_unique<ScheduledRecursion<4>>(a, c);
  if (modes <= 6) return std::make_unique<ScheduledRecursion<6>>(a, c);
  return std::make_unique<ScheduledRecursion<Eigen::Dynamic>>(a, c);
}

ErrorNormStream::ErrorNormStream(const Filter& a, const Filter& c) {
  if (a.steps() != c.steps())
    throw InvalidParameter("steps", "workload and shape have different numbers of steps");
  if (!c.is_invertible()) throw InvalidParameter("shape", "cannot be inverted: its diagonal has a 0");
  recursion_ = Recursion::of(a, c);
  if (!recursion_) all_ = squared_error_row_norms(a, c);
}

ErrorNormStream::ErrorNormStream(ErrorNormStream&&) noexcept = default;
ErrorNormStream& ErrorNormStream::operator=(ErrorNormStream&&) noexcept = default;
ErrorNormStream::~ErrorNormStream() = default;

double ErrorNormStream::next() {
  double norm = 0;
  next({&norm, 1});
  return norm;
}

void ErrorNormStream::next(std::span<double> out) {
  if (recursion_) {
    recursion_->next(out);
  } else {
    std::copy_n(all_.begin() + static_cast<std::ptrdiff_t>(done_), out.size(), out.begin());
  }
  done_ += out.size();
  if (!out.empty()) newest_ = out.back();
}

double ErrorNormStream::at(std::size_t step) {
  if (step + 1 < done_) throw Error("error norms: steps must be asked for in order");
  // In pieces, because a call a step would cost more than the steps.
  std::vector<double> skipped;
  while (done_ <= step) {
    skipped.resize(std::min<std::size_t>(step + 1 - done_, Schedule::block));
    next(skipped);
  }
  return newest_;
}

void ErrorNormStream::skip_to(std::size_t step) {
  if (step > done_) (void)at(step - 1);
  if (step < done_) throw Error("error norms: steps must be asked for in order");
}

double ErrorNormStream::last(const FilterStream::LastStep& last) const {
  return recursion_->last(last);
}

bool ErrorNormStream::closes_early() const {
  return recursion_ != nullptr;
}

ErrorNormTotals error_norm_totals(const Filter& a, const Filter& c, std::size_t steps) {
  ErrorNormStream norms(a, c);
  const std::size_t end = std::min(steps, a.steps());
  std::vector<double> block(Schedule::block);
  CompensatedSum sum;
  double largest = 0;
  while (norms.steps_done() < end) {
    block.resize(std::min(Schedule::block, end - norms.steps_done()));
    norms.next(block);
    double block_sum = 0;
    for (const double norm : block) {
      block_sum += norm;
      largest = std::max(largest, norm);
    }
    sum.add(block_sum);
  }
  return {.sum = sum.value(), .largest = largest};
}

}  // namespace jme
