#include "theory/squared_noise.hpp"

#include <cmath>
#include <deque>
#include <vector>

#include <jme/base/errors.hpp>

#include "theory/inverse_state.hpp"
#include "theory/release_gram.hpp"

namespace jme::theory {
namespace {

constexpr std::size_t most_states = 64;

bool by_states_applies(const Workload& workload, const Filter& c) {
  if (c.is_dense() || !c.lag_taps().empty() || InverseState::states(c.core()) > most_states) return false;
  if (workload.kind() == Workload::Kind::custom) return false;
  return workload.kind() != Workload::Kind::window || c.column().is_one();
}

// Covariances of the unit noise y = T^-1 (z / row), one row after the other.
class NoiseWalk {
 public:
  explicit NoiseWalk(const Filter& c)
      : c_(c), state_(c.core()), covariance_(Eigen::MatrixXd::Zero(state_.size(), state_.size())) {}

  const InverseState& state() const { return state_; }
  double variance() const { return variance_; }            // Var y_t
  const Eigen::VectorXd& with_next() const { return u_; }  // Cov(s_{t+1}, y_t): Cov(y_s, y_t) = h'F^(s-t-1) u

  void step() {
    const double l = rows_.at(c_.row(), t_++);
    const double unit = 1 / (l * l);
    const Eigen::VectorXd ph = covariance_ * state_.output();
    variance_ = state_.output().dot(ph) + state_.gain() * state_.gain() * unit;
    u_ = state_.advance(ph) + state_.input() * (state_.gain() * unit);
    covariance_ = state_.advance_both(covariance_) + unit * state_.input() * state_.input().transpose();
  }

 private:
  const Filter& c_;
  InverseState state_;
  Eigen::MatrixXd covariance_;
  Eigen::VectorXd u_;
  double variance_ = 0;
  ScheduleReader rows_;
  std::size_t t_ = 0;
};

// Weights of a release: scale * beta^age (prefix, mean, decay). V_t = sum over pairs of beta^ages Q^2 obeys
//   V_t = beta^2 V_{t-1} + Q_tt^2 + 2 d_t^2 h'R_t h,   R_{t+1} = beta (F R_t F' + d_t^2 u_t u_t').
double geometric_trace(const Workload& workload, const Horizon& horizon, const Filter& c) {
  NoiseWalk walk(c);
  const InverseState& state = walk.state();
  const double beta = workload.kind() == Workload::Kind::decay ? workload.beta() : 1.0;
  Eigen::MatrixXd pairs = Eigen::MatrixXd::Zero(state.size(), state.size());
  double v = 0, trace = 0;
  std::size_t step = 0;
  ScheduleReader columns;
  for (std::size_t t = 0; t < horizon.rows(); ++t) {
    walk.step();
    const double d = 1 / columns.at(c.column(), t);
    const double square = d * d;
    const double own = square * walk.variance();
    v = beta * beta * v + own * own + 2 * square * state.output().dot(pairs * state.output());
    pairs = beta * (state.advance_both(pairs) + square * walk.with_next() * walk.with_next().transpose());
    if (t + 1 == horizon.rows_through(step)) {
      const double scale = workload.kind() == Workload::Kind::mean ? 1 / static_cast<double>(t + 1) : 1.0;
      trace += scale * scale * v;
      ++step;
    }
  }
  return trace;
}

// A window of w rows: what enters is h'R_t h over the pairs inside it, what leaves at row t0 is
// Q_{t0 t0}^2 + 2 u'G u with G = sum_{m < w-1} F'^m h h' F^m.
double window_trace(const Workload& workload, const Horizon& horizon, const Filter& c) {
  NoiseWalk walk(c);
  const InverseState& state = walk.state();
  const std::size_t w = workload.window_rows();
  const Eigen::Index q = state.size();
  Eigen::MatrixXd power = Eigen::MatrixXd::Identity(q, q), leaving = Eigen::MatrixXd::Zero(q, q);
  for (std::size_t m = 0; m + 1 < w; ++m) {
    const Eigen::VectorXd seen = power.transpose() * state.output();
    leaving += seen * seen.transpose();
    Eigen::MatrixXd next(q, q);
    for (Eigen::Index j = 0; j < q; ++j) next.col(j) = state.advance(power.col(j));
    power = std::move(next);
  }
  struct Row {
    double variance;
    Eigen::VectorXd u;
  };
  std::deque<Row> inside;
  Eigen::MatrixXd pairs = Eigen::MatrixXd::Zero(q, q);
  double v = 0, trace = 0;
  // A partial last block: its release covers whole blocks, so fewer rows; nothing leaves that window.
  const std::size_t k = horizon.every(), steps = horizon.steps();
  const bool partial = horizon.rows() % k != 0;
  const std::size_t last_start = steps > w / k ? (steps - w / k) * k : 0;
  Eigen::MatrixXd last_pairs = Eigen::MatrixXd::Zero(q, q);
  double last_v = 0;
  std::size_t step = 0;
  for (std::size_t t = 0; t < horizon.rows(); ++t) {
    walk.step();
    if (partial && t >= last_start) {
      last_v += walk.variance() * walk.variance() + 2 * state.output().dot(last_pairs * state.output());
      last_pairs = state.advance_both(last_pairs) + walk.with_next() * walk.with_next().transpose();
    }
    // `pairs` covers the rows t-w+1 .. t-1 as seen from t; row t-w leaves V now; it left `pairs` before.
    if (inside.size() == w) {
      const Row& old = inside.front();
      v -= old.variance * old.variance + 2 * old.u.dot(leaving * old.u);
      inside.pop_front();
    }
    v += walk.variance() * walk.variance() + 2 * state.output().dot(pairs * state.output());
    inside.push_back({walk.variance(), walk.with_next()});
    pairs = state.advance_both(pairs) + walk.with_next() * walk.with_next().transpose();
    if (inside.size() == w) {
      const Eigen::VectorXd gone = power * inside.front().u;  // F^(w-1) u, seen from t+1
      pairs -= gone * gone.transpose();
    }
    if (t + 1 == horizon.rows_through(step)) {
      trace += partial && step + 1 == steps ? last_v : v;
      ++step;
    }
  }
  const auto length = static_cast<double>(w);
  return trace / (length * length);
}

}  // namespace

bool is_identity(const Filter& c) {
  if (!c.is_toeplitz()) return false;
  const Toeplitz& core = c.core();
  return core.modes.empty() && core.lag_taps.empty() && core.taps.size() == 1 && core.taps.front() == 1;
}

Eigen::MatrixXd noise_covariance(const Filter& c) {
  const Eigen::MatrixXd dense = c.to_dense();
  const Eigen::MatrixXd inverse =
      dense.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(dense.rows(), dense.cols()));
  return inverse * inverse.transpose();
}

double squared_noise_trace_dense(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& q) {
  return gram.cwiseProduct(q).cwiseProduct(q).sum();
}

double squared_noise_trace_by_lags(const Workload& workload, const Horizon& horizon, const Filter& c) {
  // Toeplitz C: Q_{t,t+m} = d_t d_{t+m} sum_{j <= t} c~_j c~_{j+m}, a running sum for every lag m.
  const ReleaseGram gram(workload, horizon);
  const std::size_t n = horizon.rows();
  const std::vector<double> inverse = c.core().inverse_coefficients(n);
  std::vector<double> square(n);
  c.column().fill(0, square);
  for (double& value : square) value = 1 / (value * value);
  double trace = 0;
  for (std::size_t lag = 0; lag < n; ++lag) {
    double q = 0, sum = 0;
    for (std::size_t t = 0; t + lag < n; ++t) {
      q += inverse[t] * inverse[t + lag];
      sum += gram(t, t + lag) * q * q * square[t] * square[t + lag];
    }
    trace += lag == 0 ? sum : 2 * sum;
  }
  return trace;
}

double squared_noise_trace_by_states(const Workload& workload, const Horizon& horizon, const Filter& c) {
  return workload.kind() == Workload::Kind::window ? window_trace(workload, horizon, c)
                                                   : geometric_trace(workload, horizon, c);
}

std::optional<double> squared_noise_trace(const Workload& workload, const Horizon& horizon, const Filter& c) {
  if (by_states_applies(workload, c)) return squared_noise_trace_by_states(workload, horizon, c);
  const bool by_lags_applies = !c.is_dense() && c.row().is_one() && horizon.rows() <= longest_by_lags;
  if (by_lags_applies) return squared_noise_trace_by_lags(workload, horizon, c);
  return std::nullopt;
}

}  // namespace jme::theory
