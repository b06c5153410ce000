#include "noise/noise_distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"
#include "filter/stream.hpp"
#include "noise/core_sizes.hpp"

// Bounds and letters as in GUARANTEES.md of this room.
namespace jme {

namespace {

constexpr double u = 0x1p-53;
/// Past values and running sums of a good past stay within this many standard deviations, before rounding and
/// the change that a person makes are added.
constexpr double past_reach = 13;
constexpr double beyond_reach = 1.3e-38;  // 2 Phi(-13) = 1.2e-38

/// Rounding errors of a sum of products as FilterStream forms it, for terms of given sizes, in units of u.
class RoundedSum {
 public:
  void add(double size) {
    total_ += size;
    block_ += size;
    products_ += size;
    sums_ += block_;
    if (++terms_ == FilterStream::summed_together) close();
  }
  [[nodiscard]] double total() const { return total_; }
  /// N: of the products, of the sums inside blocks and of the sums of blocks.
  [[nodiscard]] double errors() const { return products_ + sums_ + total_; }

 private:
  void close() {
    sums_ += total_;
    block_ = 0;
    terms_ = 0;
  }
  double total_ = 0, block_ = 0, products_ = 0, sums_ = 0;
  std::size_t terms_ = 0;
};

/// Largest error of the past divided by the fresh standard deviation, in units of u times the reach; and what
/// the reach depends on.
struct PastError {
  double errors = 0;
  double cells = 0;    ///< largest 1-norm over 2-norm of the response of a watched number to a draw
  double watched = 1;  ///< numbers per draw that must stay within the reach
};

PastError dense_error(const Filter& shape) {
  const Eigen::MatrixXd& lower = shape.matrix();
  const Eigen::MatrixXd inverse =
      lower.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(lower.rows(), lower.cols()));
  PastError error;
  for (Eigen::Index t = 0; t < lower.rows(); ++t) {
    const auto row = inverse.row(t).head(t + 1);
    error.cells = std::max(error.cells, row.cwiseAbs().sum() / row.norm());
    RoundedSum past;
    for (Eigen::Index s = 0; s < t; ++s) past.add(std::abs(lower(t, s)) * inverse.row(s).norm());
    error.errors = std::max(error.errors, past.errors() + 2 * past.total());  // own reciprocal, product
  }
  return error;
}

/// sum of |pole|^k over the steps
double geometric_sum(double pole, std::size_t steps) {
  const double gap = 1 - std::abs(pole);
  const auto n = static_cast<double>(steps);
  return gap == 0 ? n : -std::expm1(n * std::log1p(-gap)) / gap;
}

/// sum of the moduli of the coefficients of 1 / (1 + sum_i weight_i x^lag_i)
double lag_response_sum(const std::vector<LagTap>& taps, std::size_t steps) {
  std::vector<double> response(steps, 0.0);
  double sum = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    if (t == 0) response[t] = 1;
    for (const LagTap& tap : taps) {
      if (tap.lag <= t) response[t] -= tap.weight * response[t - tap.lag];
    }
    sum += std::abs(response[t]);
  }
  return sum;
}

/// What a mode's rounding errors amount to in its running sum, in units of u.
double mode_errors(const Mode& mode, double length, double taken_errors, std::size_t steps, SumWords words) {
  const double steps_remembered = geometric_sum(mode.pole, steps);
  // S <- fl(fl(pole S) + taken), and the rounding of `taken` itself.
  if (words == SumWords::one) return (2 * length + taken_errors) * steps_remembered;
  // The second word keeps what the first loses, except for errors of the product of 1 - pole with the sum of
  // both words, and for the roundings of the second word, which is below 6 u steps length.
  return (4.1 + 7 * u * static_cast<double>(steps) * steps_remembered) * length;
}

/// The core of C = diag(row) T diag(column), draws of standard deviation 1.
PastError core_error(const Filter& shape, const CoreSizes& sizes, SumWords words) {
  const Toeplitz& core = shape.core();
  const std::vector<LagTap>& lags = core.lag_taps;
  const std::size_t steps = shape.steps();
  const bool is_series = core.inverted;
  const double column = shape.column().is_one() ? 0 : 1;  // roundings of column * y
  const double tap = std::abs(core.taps[0]);
  double lag_weights = 0;
  for (const LagTap& lag : lags) lag_weights += std::abs(lag.weight);

  // What taps and modes take in: values (divided by the lag taps) in feedback form, draws in a series.
  const double taken = is_series ? 1 : sizes.inverse_length;
  const double value = sizes.inverse_length * (1 + lag_weights);
  RoundedSum past;
  for (std::size_t j = 1; j < std::min(core.taps.size(), steps); ++j) {
    past.add(std::abs(core.taps[j]) * taken);
  }
  double states = 0;
  PastError result{.errors = 0,
                   .cells = sizes.inverse_sum / sizes.inverse_length,
                   .watched = 2 + static_cast<double>(core.modes.size())};
  for (std::size_t i = 0; i < core.modes.size(); ++i) {
    const Mode& mode = core.modes[i];
    const CoreSizes::ModeSize& state = sizes.modes[i];
    past.add(std::abs(mode.weight) * state.length);
    const double taken_errors = is_series || !lags.empty() ? 0 : column * taken;
    states += std::abs(mode.weight) * mode_errors(mode, state.length, taken_errors, steps, words);
    result.cells = std::max(result.cells, state.reach / state.length);
  }
  const double taps_taken = is_series || !lags.empty() ? 0 : column * (past.total());
  // Errors of the sum itself, without the errors of what was taken in.
  double errors = past.errors() + states + taps_taken;
  if (is_series) {
    // taken = (column y - sum) / tap: product, sum, difference, reciprocal and quotient; fed back through T.
    const double own = (column * value + errors + tap * taken) / tap + 2 * taken;
    const double fed_back = own * tap * sizes.core_sum;
    errors = (errors + (sizes.inverse_sum - tap) * fed_back + 2 * past.total()) / tap;
  } else if (!lags.empty()) {
    // The ring holds column y - (lagged sum), fed back through the lag taps.
    RoundedSum old;
    for (const LagTap& lag : lags) old.add(std::abs(lag.weight) * taken);
    const double own = column * value + old.errors() + taken;
    const double fed_back = own * lag_response_sum(lags, steps);
    errors += (sizes.core_sum - tap + tap * lag_weights) * fed_back;
    errors += tap * (old.errors() + 2 * old.total()) + past.total();  // joined to the past
    errors += 3 * (past.total() + tap * old.total());
  } else {
    errors += 3 * past.total();  // 1 / column, over the tap, times the sum
  }
  result.errors = errors;
  return result;
}

/// Largest row_t / row_s over s <= t, and the largest row_t column_t.
struct Growth {
  double row = 1, diagonal = 0;
};

Growth growth_of(const Filter& shape) {
  if (shape.row().is_one() && shape.column().is_one()) return {.row = 1, .diagonal = 1};
  // No column is longer than 1, and a row schedule without end never rises.
  if (shape.is_endless()) return {.row = 1, .diagonal = 1 / std::abs(shape.core().taps[0])};
  Growth growth;
  ScheduleReader rows, columns;
  double smallest_row = HUGE_VAL;
  for (std::size_t t = 0; t < shape.steps(); ++t) {
    const double row = rows.at(shape.row(), t);
    smallest_row = std::min(smallest_row, row);
    growth.row = std::max(growth.row, row / smallest_row);
    growth.diagonal = std::max(growth.diagonal, row * columns.at(shape.column(), t));
  }
  return growth;
}

bool is_diagonal(const Filter& shape) {
  const Toeplitz& core = shape.core();
  return !shape.is_dense() && core.modes.empty() && core.lag_taps.empty() &&
         std::all_of(core.taps.begin() + 1, core.taps.end(), [](double tap) { return tap == 0; });
}

}  // namespace

ShapeRounding shape_rounding(const Filter& shape) {
  if (shape.last_row()) throw InvalidParameter("shape", "a shape's last row cannot be replaced");
  if (is_diagonal(shape)) return {};
  PastError one, two;
  Growth growth;
  double first = 1;
  if (shape.is_dense()) {
    one = two = dense_error(shape);
    growth.diagonal = shape.matrix().diagonal().cwiseAbs().maxCoeff();
  } else {
    Toeplitz without_lags = shape.core();
    without_lags.lag_taps.clear();
    const CoreSizes sizes = core_sizes(without_lags, shape.steps());
    one = core_error(shape, sizes, SumWords::one);
    two = can_have_two_words(shape) ? core_error(shape, sizes, SumWords::two) : one;
    growth = growth_of(shape);
    first = std::abs(shape.core().coefficients(1)[0]);
  }
  return {.errors_one_word = one.errors,
          .errors_two_words = two.errors,
          .cells = one.cells,
          .watched = one.watched,
          .row_growth = growth.row,
          .fresh = 1 / (growth.diagonal * first),
          .steps = static_cast<double>(shape.steps())};
}

NoiseDistance noise_distance(const ShapeRounding& shape, const NoiseScale& scale, double shift,
                             SumWords words) {
  const double errors = words == SumWords::one ? shape.errors_one_word : shape.errors_two_words;
  if (errors == 0) return {};
  // eta = growth (13 + shift + cells (1 / (2 fresh) + eta)): half a unit of rounding in every step, and eta
  // itself, act like errors of the draws.
  constexpr double second_order = 1 + 0x1p-10;
  const double growth_of_errors = u * shape.row_growth * errors * second_order;
  const double fed_back = growth_of_errors * shape.cells;
  if (!(fed_back < 0x1p-10)) {
    throw InvalidParameter("shape", "its noise cannot be computed in doubles: rounding errors grow too much");
  }
  const double smallest_fresh = scale.smallest() * shape.fresh;
  const double eta =
      growth_of_errors * (past_reach + shift + shape.cells * 0.5 / smallest_fresh) / (1 - fed_back);
  const double draws = shape.steps * static_cast<double>(scale.width());
  return {.mu = 2 * eta * std::sqrt(draws), .bad_past = draws * shape.watched * beyond_reach};
}

NoiseDistance noise_distance(const Filter& shape, const NoiseScale& scale, double shift, SumWords words) {
  return noise_distance(shape_rounding(shape), scale, shift, words);
}

NoiseDistance joined(const NoiseDistance& a, const NoiseDistance& b) {
  return {.mu = std::hypot(a.mu, b.mu), .bad_past = a.bad_past + b.bad_past};
}

}  // namespace jme
