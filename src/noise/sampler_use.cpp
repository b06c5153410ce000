#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/filter/norms.hpp>
#include <jme/noise/sampler_use.hpp>

// Bounds and letters as in GUARANTEES.md of this room.
namespace jme {

namespace {

constexpr double u = 0x1p-53;
/// Past values and states stay within so many of their standard deviations: 10, and what a cell moves them.
constexpr double past_reach = 11;

double sum_of_moduli(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, double value) { return sum + std::abs(value); });
}

double length(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// Rounding errors of a sum of products that is formed term by term, for terms of given sizes.
class RoundedSum {
 public:
  /// `weight_error`: of the term, beyond that of its product.
  void add(double size, double weight_error = 0) {
    total_ += size;
    errors_ += size + total_ + weight_error;  // of the product, and of the sum so far
  }
  [[nodiscard]] double errors() const { return errors_; }

 private:
  double total_ = 0, errors_ = 0;
};

/// How a FilterStream forms C^-1 z: as a series in z, or from the values before.
struct Form {
  explicit Form(const Filter& shape)
      : closed(!shape.core().inverted && shape.core().taps.size() >= shape.steps() &&
               !shape.core().inverse_taps.empty()),
        series(closed || shape.core().inverted),
        taps(closed ? shape.core().inverse_taps : shape.core().taps),
        modes(closed ? std::vector<Mode>{} : shape.core().modes),
        lag_taps(shape.lag_taps()) {
    taps.resize(std::min(taps.size(), shape.steps()));
  }
  [[nodiscard]] bool has_past() const { return taps.size() > 1 || !modes.empty() || !lag_taps.empty(); }

  bool closed, series;
  std::vector<double> taps;
  std::vector<Mode> modes;
  std::vector<LagTap> lag_taps;
};

struct RowBounds {
  double row_sum = 1;
  double roundings = 0;
  double memory = 1;
  double drift = 0;
};

RowBounds dense_bounds(const Eigen::MatrixXd& lower, const std::vector<double>& noise_std) {
  RowBounds bounds;
  bounds.memory = static_cast<double>(lower.rows());
  const Eigen::MatrixXd inverse =
      lower.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(lower.rows(), lower.cols()));
  Eigen::VectorXd errors(lower.rows());  // of each step, as an error of its draw
  for (Eigen::Index t = 0; t < lower.rows(); ++t) {
    const double diagonal = std::abs(lower(t, t));
    bounds.row_sum = std::max({bounds.row_sum, lower.row(t).cwiseAbs().sum() / diagonal,
                               inverse.row(t).cwiseAbs().sum() * diagonal});
    RoundedSum past;
    for (Eigen::Index s = 0; s < t; ++s)
      past.add(std::abs(lower(t, s)) * noise_std[static_cast<std::size_t>(s)]);
    const double whole = noise_std[static_cast<std::size_t>(t)] * diagonal;
    errors(t) = past.errors() + 3 * whole;  // subtraction, reciprocal of the diagonal, product with it
    bounds.roundings = std::max(bounds.roundings, 4 * whole);  // and the scale
    const double drift = inverse.row(t).head(t + 1).cwiseAbs().dot(errors.head(t + 1).transpose()) * diagonal;
    bounds.drift = std::max(bounds.drift, past_reach * u * drift);
  }
  return bounds;
}

/// Schedules of C = diag(row) T diag(column) against their own past.
struct Growth {
  explicit Growth(const Filter& shape) {
    double smallest_row = shape.row()(0), largest_column = 0;
    for (std::size_t t = 0; t < shape.steps(); ++t) {
      smallest_row = std::min(smallest_row, shape.row()(t));
      largest_column = std::max(largest_column, shape.column()(t));
      row = std::max(row, shape.row()(t) / smallest_row);
      column = std::max(column, largest_column / shape.column()(t));
    }
  }
  double row = 1;     ///< of 1 / row over the past, against now
  double column = 1;  ///< of column over the past, against now
};

/// sum of |pole|^k over the steps
double geometric_sum(double pole, std::size_t steps) {
  const double p = std::abs(pole);
  const auto n = static_cast<double>(steps);
  return p == 1 ? n : (1 - std::pow(p, n)) / (1 - p);
}

/// Response of a mode's running sum to a draw that reaches it as `taken`: its 2-norm and its 1-norm.
struct ModeSizes {
  double length, sum;
};
ModeSizes mode_sizes(double pole, const std::vector<double>& taken, std::size_t steps) {
  double state = 0, squares = 0, moduli = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    state = pole * state + (k < taken.size() ? taken[k] : 0.0);
    if (std::abs(state) < 1e-300) state = 0;  // subnormal numbers would only be slow
    squares += state * state;
    moduli += std::abs(state);
  }
  return {.length = std::sqrt(squares), .sum = moduli};
}

RowBounds toeplitz_bounds(const Filter& shape, const std::vector<double>& noise_std) {
  const std::size_t n = shape.steps();
  const Form form(shape);
  const Growth growth(shape);
  const std::vector<double> inverse = shape.core().inverse_coefficients(n);
  const double inverse_sum = sum_of_moduli(inverse);
  const double own = std::abs(inverse[0]);
  const double core_sum = sum_of_moduli(shape.core().coefficients(n)) * own;  // over the first coefficient
  const bool rows = !shape.row().is_one(), columns = !shape.column().is_one(), tap = form.taps[0] != 1;

  RowBounds bounds;
  if (form.has_past()) {
    bounds.row_sum = std::max(core_sum * growth.column, inverse_sum / own * growth.row);
    bounds.memory = std::min(static_cast<double>(n), std::pow(inverse_sum / own * growth.row, 2));
  }
  // Roundings of the draw alone, and of the whole value: the one sum with the past, factors, the scale.
  const double of_draw = (rows ? 2 : 0) + (form.series && tap ? 1 : 0);
  const double of_whole = 1 + (form.has_past() ? 1 : 0) + (!form.series && tap ? 2 : 0) + (columns ? 2 : 0);
  for (std::size_t t = 0; t < n; ++t) {
    const double whole = noise_std[t] * shape.row()(t) * shape.column()(t) / own;  // over the fresh part
    bounds.roundings = std::max(bounds.roundings, of_draw + of_whole * whole);
  }
  if (!form.has_past()) return bounds;

  // What taps and modes take in: earlier draws in a series, earlier values in feedback form.
  const std::vector<double> taken = form.series ? std::vector<double>{1.0} : inverse;
  const double taken_std = length(taken);
  // How what goes wrong in a step reaches later ones: not at all in a series; in feedback form through the
  // core's inverse alone, because lag taps take in draws and not values.
  Toeplitz unlagged = shape.core();
  unlagged.lag_taps.clear();
  const std::vector<double> fed_back =
      form.series ? taken : (form.lag_taps.empty() ? inverse : unlagged.inverse_coefficients(n));
  const double fed_back_sum = sum_of_moduli(fed_back);
  RoundedSum past;
  for (const LagTap& lag : form.lag_taps) {
    past.add(std::abs(lag.weight), rows ? std::abs(lag.weight) : 0);  // the weight over its row
  }
  for (std::size_t j = 1; j < form.taps.size(); ++j) past.add(std::abs(form.taps[j]) * taken_std);
  double drift = 0;
  for (const Mode& mode : form.modes) {
    const ModeSizes state = mode_sizes(mode.pole, taken, n);
    const double reach = form.lag_taps.empty() ? state.sum : mode_sizes(mode.pole, fed_back, n).sum;
    const double weight = std::abs(mode.weight);
    past.add(weight * state.length);
    drift += 2 * state.length * weight * reach / own;
    // A cell moves a state by at most half of its standard deviation where row_sum / (2 a) <= 1/20.
    const double moved = geometric_sum(mode.pole, n) * growth.column * (form.series ? core_sum : own);
    bounds.row_sum = std::max(bounds.row_sum, moved / (10 * state.length));
  }
  if (form.series) {
    drift += past.errors() / own;
  } else {
    drift += (past.errors() + (tap ? 3 : 1) * length(inverse) / own) * fed_back_sum / own;
  }
  if (rows) drift += 2 * inverse_sum / own;
  if (form.closed) {
    for (std::size_t j = 1; j < n; ++j) drift += 4 * static_cast<double>(j + 1) * std::abs(inverse[j]) / own;
  }
  bounds.drift = past_reach * u * growth.row * drift;
  return bounds;
}

}  // namespace

SamplerUse sampler_use(const Filter& shape, std::span<const double> scale, std::size_t blocks_touched) {
  if (shape.last_row()) throw InvalidParameter("shape", "a shape's last row cannot be replaced");
  const std::size_t n = shape.steps();
  std::vector<double> noise_std = squared_inverse_row_norms(shape);
  for (double& value : noise_std) value = std::sqrt(value);
  const std::vector<double> squared_columns = squared_column_norms(shape);
  const RowBounds bounds =
      shape.is_dense() ? dense_bounds(shape.matrix(), noise_std) : toeplitz_bounds(shape, noise_std);
  const bool diagonal_shape = !shape.is_dense() && !Form(shape).has_past();
  const std::size_t steps = diagonal_shape ? std::min(n, blocks_touched) : n;

  SamplerUse use{.draws = static_cast<double>(steps) * static_cast<double>(scale.size()),
                 .width = static_cast<double>(scale.size()),
                 .fresh_variance = 0,
                 .largest_fresh_std = 0,
                 .smallest_fresh_std = HUGE_VAL,
                 .roundings = bounds.roundings,
                 .drift = bounds.drift,
                 .states = shape.is_dense() ? 0 : static_cast<double>(shape.core().modes.size()),
                 .memory = bounds.memory,
                 .column_ratio = 1,
                 .row_sum = bounds.row_sum};
  const auto [smallest, largest] = std::minmax_element(scale.begin(), scale.end());
  const double squared_scale = std::inner_product(scale.begin(), scale.end(), scale.begin(), 0.0);
  const double first = shape.is_dense() ? 1 : std::abs(shape.core().coefficients(1)[0]);
  for (std::size_t t = 0; t < n; ++t) {
    const auto i = static_cast<Eigen::Index>(t);
    const double diagonal =
        shape.is_dense() ? std::abs(shape.matrix()(i, i)) : first * shape.row()(t) * shape.column()(t);
    use.fresh_variance += squared_scale / (diagonal * diagonal);
    use.largest_fresh_std = std::max(use.largest_fresh_std, *largest / diagonal);
    use.smallest_fresh_std = std::min(use.smallest_fresh_std, *smallest / diagonal);
    use.column_ratio = std::max(use.column_ratio, std::sqrt(squared_columns[t]) / diagonal);
  }
  // Which steps count is not known beforehand: the largest, should it be all of them.
  if (steps < n) {
    const double unit = use.largest_fresh_std / *largest;
    use.fresh_variance =
        std::min(use.fresh_variance, static_cast<double>(steps) * squared_scale * unit * unit);
  }
  return use;
}

}  // namespace jme
