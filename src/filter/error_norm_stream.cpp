#include "filter/error_norm_stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Core>

#include <jme/base/errors.hpp>

#include "filter/compensated_sum.hpp"
#include "filter/error_norm_recursion.hpp"
#include "filter/inverse_modes.hpp"
#include "filter/norms.hpp"
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

/// The coefficients of 1/T one after another, T of one tap and modes: each from those before.
class FedBackCoefficients {
 public:
  explicit FedBackCoefficients(const Filter& c) : core_(c.core()), sums_(core_.modes.size(), 0.0) {}
  [[nodiscard]] double value() const {
    double known = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) known += core_.modes[i].weight * sums_[i];
    return ((is_first_ ? 1.0 : 0.0) - known) / core_.taps[0];
  }
  void pass(double value) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = flushed(core_.modes[i].pole * sums_[i] + value);
    }
    is_first_ = false;
  }

 private:
  Toeplitz core_;
  std::vector<double> sums_;
  bool is_first_ = true;
};

/// The same of T or 1/T of taps alone: made beforehand, up to the last that is not zero.
class ListedCoefficients {
 public:
  explicit ListedCoefficients(const Filter& c) : all_(inverse_core_response(c.core(), c.steps())) {}
  [[nodiscard]] double value() const { return done_ < all_.size() ? all_[done_] : 0.0; }
  void pass(double) { ++done_; }

 private:
  std::vector<double> all_;
  std::size_t done_ = 0;
};

/// C = T: rows of A C^-1 are the first coefficients of T_A / T, so their norms are running sums of squares.
template <typename Coefficients>
class ToeplitzRecursion : public ErrorNormStream::Recursion {
 public:
  ToeplitzRecursion(const Filter& a, const Filter& c) : release_(a), coefficients_(c) {}

  void next(std::span<double> out) override {
    for (double& norm : out) {
      const double inverse = coefficients_.value();
      squares_.add(inverse, memory_);
      norm = squares_.of(release_.tap, release_.weight_at(done_), rows_.at(release_.row, done_));
      coefficients_.pass(inverse);
      memory_ = flushed(release_.pole * memory_ + inverse);
      ++done_;
    }
  }

  double last(const LastStep& last) override {
    Squares squares = squares_;
    squares.add(coefficients_.value(), memory_);
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

  Release release_;
  Coefficients coefficients_;
  double memory_ = 0;
  Squares squares_;
  ScheduleReader rows_;
  std::size_t done_ = 0;
};

/// Variances and covariance that a release sees: of x, the newest value of C^-1 z, and m, the running sum of
/// the values before.
struct Seen {
  double fresh, both, memory;  // Var x, Cov(x, m), Var m
  [[nodiscard]] double variance(double tap, double weight) const {
    return std::max(tap * (tap * fresh + 2 * weight * both) + weight * weight * memory, 0.0);
  }
};

/// C = diag(row) T diag(column) whose T has an inverse of one tap and modes: covariance of the states of C^-1
/// and A under white noise, exactly, step by step (docs/theory/shaping.md#norms-by-recursion). With b_0, r
/// and theta those of T^-1, Z its running sums and m that of A:
///     y = b_0 u + r'Z,  u = z / row,  Z <- theta o Z + u,  x = y / column,  m <- pole m + x.
/// T^-1 has `Modes` modes; columns are padded to whole vectors of two.
template <int Modes>
class ModalRecursion : public ErrorNormStream::Recursion {
 public:
  ModalRecursion(const Filter& a, const Filter& c, const InverseModes& inverse)
      : release_(a), row_(c.row()), column_(c.column()), tap_(inverse.tap) {
    poles_.setZero();
    weights_.setZero();
    for (Eigen::Index i = 0; i < Modes; ++i) {
      poles_(i) = inverse.poles[static_cast<std::size_t>(i)];
      weights_(i) = inverse.weights[static_cast<std::size_t>(i)];
    }
    ratios_ = (poles_ * poles_.transpose()).template leftCols<Modes>();
    memory_poles_ = release_.pole * poles_;
    state_.sums.setZero();
    state_.cross.setZero();
  }

  void next(std::span<double> out) override {
    while (!out.empty()) {
      Inputs in;
      const std::size_t count = read(in, out.size());
      Eigen::Array<double, 3, piece> seen;  // Var x, Cov(x, m), Var m
      State state = state_;
      Seen newest{};
      for (std::size_t i = 0; i < count; ++i) {
        newest = advance(state, in.noise[i], in.gain[i]);
        seen.col(static_cast<Eigen::Index>(i)) << newest.fresh, newest.both, newest.memory;
      }
      state_ = state;
      const double tap = release_.tap, weight = release_.weight;
      const auto size = static_cast<Eigen::Index>(count);
      Eigen::Map<Eigen::ArrayXd>(out.data(), size) =
          Eigen::Map<Eigen::ArrayXd>(in.scale.data(), size) *
          (tap * (tap * seen.row(0) + 2 * weight * seen.row(1)) + weight * weight * seen.row(2))
              .head(size)
              .transpose()
              .max(0.0);
      done_ += count;
      if (done_ == release_.steps) {
        out[count - 1] = in.scale[count - 1] * newest.variance(tap, release_.weight_at(done_ - 1));
      }
      out = out.subspan(count);
    }
  }

  double last(const LastStep& last) override {
    Inputs in;
    (void)read(in, 1);
    State state = state_;
    const double scale = last.row ? *last.row * *last.row : in.scale[0];
    return scale * advance(state, in.noise[0], in.gain[0])
                       .variance(release_.tap, last.mode_weight.value_or(release_.weight_at(done_)));
  }

 private:
  static constexpr int rows = (Modes + 1) / 2 * 2;
  using Vector = Eigen::Matrix<double, rows, 1>;
  using Sums = Eigen::Matrix<double, rows, Modes>;
  struct State {
    Sums sums;          // Cov(Z)
    Vector cross;       // Cov(Z, m)
    double memory = 0;  // Var m
  };
  /// 1 / row^2, 1 / column, and the release's own row squared.
  static constexpr std::size_t piece = 128;
  struct Inputs {
    std::array<double, piece> noise, gain, scale;
  };
  std::size_t read(Inputs& in, std::size_t most) {
    std::size_t count = std::min(most, piece);
    count = rows_.read(row_, done_, std::span(in.noise).first(count));
    count = columns_.read(column_, done_, std::span(in.gain).first(count));
    count = rows_a_.read(release_.row, done_, std::span(in.scale).first(count));
    const auto array = [count](std::array<double, piece>& numbers) {
      return Eigen::Map<Eigen::ArrayXd>(numbers.data(), static_cast<Eigen::Index>(count));
    };
    array(in.noise) = array(in.noise).square().inverse();
    array(in.gain) = array(in.gain).inverse();
    array(in.scale) = array(in.scale).square();
    return count;
  }

  Seen advance(State& s, double noise, double gain) const {
    Vector along = s.sums.col(0) * weights_(0);
    for (Eigen::Index j = 1; j < Modes; ++j) along += s.sums.col(j) * weights_(j);
    const double y = noise * tap_ * tap_ + weights_.dot(along);  // Var y
    const double both = gain * weights_.dot(s.cross);            // Cov(x, m)
    const Seen seen{.fresh = gain * gain * y, .both = both, .memory = s.memory};
    const double input = gain * noise * tap_;  // Cov(u, x)
    s.cross = (memory_poles_.cwiseProduct(s.cross) + gain * poles_.cwiseProduct(along)).array() + input;
    s.memory = release_.pole * (release_.pole * s.memory + 2 * both) + seen.fresh;
    s.sums = s.sums.cwiseProduct(ratios_).array() + noise;
    return seen;
  }

  Release release_;
  Schedule row_, column_;
  double tap_;
  Vector poles_, weights_, memory_poles_;
  Sums ratios_;
  State state_;
  ScheduleReader rows_, columns_, rows_a_;
  std::size_t done_ = 0;
};

/// The same for any T of one tap and modes, whose inverse feeds its own output back:
///     y = (u - w'S) / c_0,  S <- p o S + y.
class FeedbackRecursion : public ErrorNormStream::Recursion {
 public:
  FeedbackRecursion(const Filter& a, const Filter& c)
      : release_(a), row_(c.row()), column_(c.column()), tap_(c.core().taps[0]) {
    const auto modes = static_cast<Eigen::Index>(c.core().modes.size());
    poles_.resize(modes);
    weights_.resize(modes);
    for (Eigen::Index i = 0; i < modes; ++i) {
      poles_(i) = c.core().modes[static_cast<std::size_t>(i)].pole;
      weights_(i) = c.core().modes[static_cast<std::size_t>(i)].weight;
    }
    ratios_ = poles_ * poles_.transpose();
    state_.sums = Eigen::MatrixXd::Zero(modes, modes);
    state_.cross = Eigen::VectorXd::Zero(modes);
  }

  void next(std::span<double> out) override {
    for (double& norm : out) {
      const Seen seen = advance(state_);
      const double row = rows_a_.at(release_.row, done_);
      norm = row * row * seen.variance(release_.tap, release_.weight_at(done_));
      ++done_;
    }
  }

  double last(const LastStep& last) override {
    State state = state_;
    const double row = last.row ? *last.row : rows_a_.at(release_.row, done_);
    return row * row *
           advance(state).variance(release_.tap, last.mode_weight.value_or(release_.weight_at(done_)));
  }

 private:
  struct State {
    Eigen::MatrixXd sums;   // Cov(S)
    Eigen::VectorXd cross;  // Cov(S, m)
    double memory = 0;      // Var m
  };

  Seen advance(State& s) {
    const double row = 1 / rows_.at(row_, done_), gain = 1 / columns_.at(column_, done_);
    const double inverse_tap = 1 / tap_, pole = release_.pole;
    Eigen::VectorXd along = s.sums * weights_;
    const double y = (row * row + weights_.dot(along)) * inverse_tap * inverse_tap;  // Var y
    const double y_memory = -weights_.dot(s.cross) * inverse_tap;                    // Cov(y, m)
    along = along.cwiseProduct(poles_) * inverse_tap;                                // -p o Cov(S, y)
    const Seen seen{.fresh = gain * gain * y, .both = gain * y_memory, .memory = s.memory};
    s.cross = (pole * poles_.cwiseProduct(s.cross) - gain * along).array() + (pole * y_memory + gain * y);
    s.memory = pole * (pole * s.memory + 2 * seen.both) + seen.fresh;
    s.sums = s.sums.cwiseProduct(ratios_);
    s.sums.colwise() -= along;
    s.sums.rowwise() -= along.transpose();
    s.sums.array() += y;
    return seen;
  }

  Release release_;
  Schedule row_, column_;
  double tap_;
  Eigen::VectorXd poles_, weights_;
  Eigen::MatrixXd ratios_;
  State state_;
  ScheduleReader rows_, columns_, rows_a_;
  std::size_t done_ = 0;
};

bool has_one_tap(const Filter& filter) {
  return !filter.is_dense() && !filter.core().inverted && filter.core().taps.size() == 1 &&
         filter.core().lag_taps.empty() && (!filter.last_row() || filter.last_mode_weight());
}

bool has_few_states(const Filter& c) {
  return has_one_tap(c) && !c.last_row() && c.core().modes.size() <= 16;
}

/// Taps or their inverse: banded shapes. A square root has all coefficients at hand and keeps them as norms.
bool is_banded(const Filter& c) {
  return c.is_toeplitz() && c.core().modes.empty() && c.core().lag_taps.empty() &&
         c.core().inverse_taps.empty();
}

}  // namespace

std::unique_ptr<ErrorNormStream::Recursion> ErrorNormStream::Recursion::of(const Filter& a, const Filter& c) {
  if (!has_one_tap(a) || a.core().modes.size() > 1 || !a.column().is_one()) return nullptr;
  if (is_banded(c)) return std::make_unique<ToeplitzRecursion<ListedCoefficients>>(a, c);
  if (!has_few_states(c)) return nullptr;
  if (c.is_toeplitz()) return std::make_unique<ToeplitzRecursion<FedBackCoefficients>>(a, c);
  if (const std::optional<InverseModes> inverse = inverse_modes(c.core())) {
    switch (inverse->poles.size()) {
      case 1:
        return std::make_unique<ModalRecursion<1>>(a, c, *inverse);
      case 2:
        return std::make_unique<ModalRecursion<2>>(a, c, *inverse);
      case 3:
        return std::make_unique<ModalRecursion<3>>(a, c, *inverse);
      case 4:
        return std::make_unique<ModalRecursion<4>>(a, c, *inverse);
      case 5:
        return std::make_unique<ModalRecursion<5>>(a, c, *inverse);
      case 6:
        return std::make_unique<ModalRecursion<6>>(a, c, *inverse);
      default:
        break;
    }
  }
  return std::make_unique<FeedbackRecursion>(a, c);
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
  // In pieces, because one call per step would cost more than the steps themselves.
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

double ErrorNormStream::last(const LastStep& last) const {
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
    const Eigen::Map<const Eigen::ArrayXd> values(block.data(), static_cast<Eigen::Index>(block.size()));
    sum.add(values.sum());
    largest = std::max(largest, values.maxCoeff());
  }
  return {.sum = sum.value(), .largest = largest};
}

}  // namespace jme
