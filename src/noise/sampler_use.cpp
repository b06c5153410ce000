#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/filter/error_norm_stream.hpp>
#include <jme/filter/norms.hpp>
#include <jme/noise/sampler_use.hpp>

#include "noise/core_sizes.hpp"

// Bounds and letters as in GUARANTEES.md of this room.
namespace jme {

namespace {

constexpr double u = 0x1p-53;
/// Past values and states stay within so many of their standard deviations: 10, and what a cell moves them.
constexpr double past_reach = 11;

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

RowBounds dense_bounds(const Filter& shape) {
  const Eigen::MatrixXd& lower = shape.matrix();
  std::vector<double> noise_std = squared_inverse_row_norms(shape);
  for (double& value : noise_std) value = std::sqrt(value);
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

/// What the schedules of C = diag(row) T diag(column) and the noise they shape come to over the steps that
/// count; the core's first coefficient is taken as 1.
struct Extent {
  double row_growth = 1;     ///< of 1 / row over the past, against now
  double column_growth = 1;  ///< of column over the past, against now
  double whole = 0;          ///< largest value over its fresh part, in standard deviations
  double squared_fresh = 0;  ///< sum of 1 / (row column)^2
  double smallest_fresh = HUGE_VAL, largest_fresh = 0;  ///< of 1 / (row column)
  double column_ratio = 1;                              ///< largest ||column of C|| / (row column)
};

Extent dense_extent(const Filter& shape) {
  Extent extent;
  for (Eigen::Index t = 0; t < shape.matrix().rows(); ++t) {
    const double fresh = 1 / std::abs(shape.matrix()(t, t));
    extent.squared_fresh += fresh * fresh;
    extent.smallest_fresh = std::min(extent.smallest_fresh, fresh);
    extent.largest_fresh = std::max(extent.largest_fresh, fresh);
    extent.column_ratio = std::max(extent.column_ratio, shape.matrix().col(t).norm() * fresh);
  }
  return extent;
}

/// Columns without end, of norm 1, under a row schedule l that never rises: 1 / (row column) is the norm of
/// column t of diag(l) T over l_t, so between |c_0| and ||T||, and a value over its fresh part is at most
/// ||b||_2 |c_0|. Neither schedule grows against its past, but for the bounds within which norms are
/// computed.
Extent endless_extent(const Filter& shape, std::size_t steps) {
  constexpr double computed = 1 + 0x1p-12;
  const Toeplitz& core = shape.core();
  const double norm = endless_column_norm(core) * computed;
  return {.row_growth = 1,
          .column_growth = computed,
          .whole = core_sizes(core, steps).inverse_length * computed,
          .squared_fresh = static_cast<double>(steps) * norm * norm,
          .smallest_fresh = std::abs(core.taps[0]),
          .largest_fresh = norm,
          .column_ratio = norm};
}

Extent extent_of(const Filter& shape, std::size_t steps) {
  if (shape.is_toeplitz()) {
    return {.row_growth = 1,
            .column_growth = 1,
            .whole = core_sizes(shape.core(), steps).inverse_length,
            .squared_fresh = static_cast<double>(steps),
            .smallest_fresh = 1,
            .largest_fresh = 1,
            .column_ratio = std::sqrt(largest_squared_column_norm(shape))};
  }
  Extent extent;
  ErrorNormStream noise(Filter::identity(shape.steps()), shape);
  const std::vector<double> squared_columns =
      shape.has_unit_columns() ? std::vector<double>{} : squared_column_norms(shape);
  ScheduleReader rows, columns;
  double smallest_row = HUGE_VAL, largest_column = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    const double row = rows.at(shape.row(), t), column = columns.at(shape.column(), t);
    smallest_row = std::min(smallest_row, row);
    largest_column = std::max(largest_column, column);
    extent.row_growth = std::max(extent.row_growth, row / smallest_row);
    extent.column_growth = std::max(extent.column_growth, largest_column / column);
    const double diagonal = row * column, fresh = 1 / diagonal;
    extent.whole = std::max(extent.whole, noise.next() * diagonal * diagonal);
    extent.squared_fresh += fresh * fresh;
    extent.smallest_fresh = std::min(extent.smallest_fresh, fresh);
    extent.largest_fresh = std::max(extent.largest_fresh, fresh);
    const double squared_column = squared_columns.empty() ? 1 : squared_columns[t];
    extent.column_ratio = std::max(extent.column_ratio, std::sqrt(squared_column) * fresh);
  }
  extent.whole = std::sqrt(extent.whole);
  return extent;
}

/// sum of |pole|^k over the steps
double geometric_sum(double pole, std::size_t steps) {
  const double p = std::abs(pole);
  const auto n = static_cast<double>(steps);
  return p == 1 ? n : (1 - std::pow(p, n)) / (1 - p);
}

RowBounds toeplitz_bounds(const Filter& shape, const Extent& extent, std::size_t steps) {
  const Form form(shape);
  const CoreSizes sizes = core_sizes(shape.core(), steps);
  const double own = sizes.first;
  const double core_sum = sizes.core_sum * own;  // over the first coefficient
  const double inverse_sum = sizes.inverse_sum / own;
  const bool rows = !shape.row().is_one(), columns = !shape.column().is_one(), tap = form.taps[0] != 1;

  RowBounds bounds;
  if (form.has_past()) {
    bounds.row_sum = std::max(core_sum * extent.column_growth, inverse_sum * extent.row_growth);
    bounds.memory = std::min(static_cast<double>(steps), std::pow(inverse_sum * extent.row_growth, 2));
  }
  // Roundings of the draw alone, and of the whole value: the one sum with the past, factors, the scale.
  const double of_draw = (rows ? 2 : 0) + (form.series && tap ? 1 : 0);
  const double of_whole = 1 + (form.has_past() ? 1 : 0) + (!form.series && tap ? 2 : 0) + (columns ? 2 : 0);
  bounds.roundings = of_draw + of_whole * extent.whole / own;
  if (!form.has_past()) return bounds;

  // What taps and modes take in: earlier draws in a series, earlier values in feedback form.
  const double taken_std = form.series ? 1 : sizes.inverse_length;
  RoundedSum past;
  for (const LagTap& lag : form.lag_taps) {
    past.add(std::abs(lag.weight), rows ? std::abs(lag.weight) : 0);  // the weight over its row
  }
  for (std::size_t j = 1; j < form.taps.size(); ++j) past.add(std::abs(form.taps[j]) * taken_std);
  double drift = 0;
  for (std::size_t i = 0; i < form.modes.size(); ++i) {
    const Mode& mode = form.modes[i];
    const CoreSizes::ModeSize& state = sizes.modes[i];
    const double weight = std::abs(mode.weight);
    past.add(weight * state.length);
    drift += 2 * state.length * weight * state.reach / own;
    // A cell moves a state by at most half of its standard deviation where row_sum / (2 a) <= 1/20.
    const double moved =
        geometric_sum(mode.pole, steps) * extent.column_growth * (form.series ? core_sum : own);
    bounds.row_sum = std::max(bounds.row_sum, moved / (10 * state.length));
  }
  // How what goes wrong in a step reaches later ones: not at all in a series; in feedback form through the
  // core's inverse alone, because lag taps take in draws and not values.
  if (form.series) {
    drift += past.errors() / own;
  } else {
    drift += (past.errors() + (tap ? 3 : 1) * sizes.inverse_length / own) * sizes.fed_back_sum / own;
  }
  if (rows) drift += 2 * inverse_sum;
  if (form.closed) {
    for (std::size_t j = 1; j < steps; ++j)
      drift += 4 * static_cast<double>(j + 1) * std::abs(form.taps[j]) / own;
  }
  bounds.drift = past_reach * u * extent.row_growth * drift;
  return bounds;
}

}  // namespace

SamplerUse sampler_use(const Filter& shape, const NoiseScale& scale, std::size_t blocks_touched,
                       std::size_t longest) {
  if (shape.last_row()) throw InvalidParameter("shape", "a shape's last row cannot be replaced");
  const std::size_t n = std::min(shape.steps(), longest);
  const Extent extent = shape.is_dense()     ? dense_extent(shape)
                        : shape.is_endless() ? endless_extent(shape, n)
                                             : extent_of(shape, n);
  const RowBounds bounds = shape.is_dense() ? dense_bounds(shape) : toeplitz_bounds(shape, extent, n);
  const bool diagonal_shape = !shape.is_dense() && !Form(shape).has_past();
  const std::size_t steps = diagonal_shape ? std::min(n, blocks_touched) : n;
  const double first = shape.is_dense() ? 1 : 1 / std::abs(shape.core().coefficients(1)[0]);
  // Which steps count is not known beforehand: the largest, should it be all of them.
  const double squared_fresh = std::min(
      extent.squared_fresh, static_cast<double>(steps) * extent.largest_fresh * extent.largest_fresh);
  return {.draws = static_cast<double>(steps) * static_cast<double>(scale.width()),
          .width = static_cast<double>(scale.width()),
          .fresh_variance = scale.squared_norm() * first * first * squared_fresh,
          .largest_fresh_std = scale.largest() * first * extent.largest_fresh,
          .smallest_fresh_std = scale.smallest() * first * extent.smallest_fresh,
          .roundings = bounds.roundings,
          .drift = bounds.drift,
          .states = shape.is_dense() ? 0 : static_cast<double>(shape.core().modes.size()),
          .memory = bounds.memory,
          .column_ratio = first * extent.column_ratio,
          .row_sum = bounds.row_sum};
}

}  // namespace jme
