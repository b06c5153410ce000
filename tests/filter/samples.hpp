#pragma once

#include <cmath>
#include <cstddef>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include <jme/filter/filter.hpp>

#include "filter/norms.hpp"

namespace jme::samples {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// The matrix of a series, written from its definition alone.
inline LongMatrix series_matrix(const Toeplitz& core, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  LongMatrix matrix = LongMatrix::Zero(size, size);
  for (std::size_t k = 0; k < n; ++k) {
    long double c = 0;
    if (k < core.taps.size()) {
      c = core.taps[k];
    } else {
      for (const Mode& mode : core.modes) {
        c += mode.weight *
             std::pow(static_cast<long double>(mode.pole), static_cast<int>(k - core.taps.size()));
      }
    }
    for (auto j = static_cast<Eigen::Index>(k); j < size; ++j)
      matrix(j, j - static_cast<Eigen::Index>(k)) = c;
  }
  return matrix;
}

inline LongMatrix inverse(const LongMatrix& lower) {
  return lower.triangularView<Eigen::Lower>().solve(LongMatrix::Identity(lower.rows(), lower.cols()));
}

/// A filter and, built beside it from the definition, the matrix it stands for.
struct Sample {
  std::string name;
  Filter filter;
  LongMatrix matrix;
};
inline void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.name;
}

inline std::vector<double> random_vector(std::size_t n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}

inline std::vector<double> random_positive(std::size_t n, std::mt19937_64& random) {
  std::vector<double> values = random_vector(n, random);
  for (double& value : values) value = std::exp(value / 2);
  return values;
}

inline Sample toeplitz(std::string name, std::size_t n, const Toeplitz& core,
                       const std::vector<double>& row = {}, const std::vector<double>& column = {}) {
  LongMatrix matrix = series_matrix(core, n);
  if (core.inverted) matrix = inverse(matrix);
  for (std::size_t t = 0; t < row.size(); ++t) matrix.row(static_cast<Eigen::Index>(t)) *= row[t];
  for (std::size_t t = 0; t < column.size(); ++t) matrix.col(static_cast<Eigen::Index>(t)) *= column[t];
  return {std::move(name),
          Filter::toeplitz(n, core, row.empty() ? Schedule{} : Schedule::values(row),
                           column.empty() ? Schedule{} : Schedule::values(column)),
          std::move(matrix)};
}

/// Divided by 1 + sum_i weight_i x^lag_i: T = (1 + ...)^-1 S between the schedules.
inline Sample with_lag_taps(std::string name, std::size_t n, const Toeplitz& core,
                            const std::vector<LagTap>& taps, const std::vector<double>& row = {},
                            const std::vector<double>& column = {}) {
  Sample sample = toeplitz(std::move(name), n, core, row, column);
  LongMatrix lags = LongMatrix::Identity(sample.matrix.rows(), sample.matrix.cols());
  for (const LagTap& tap : taps) {
    for (std::size_t t = tap.lag; t < n; ++t) {
      lags(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(t - tap.lag)) += tap.weight;
    }
  }
  sample.matrix = inverse(lags) * series_matrix(core, n);
  for (std::size_t t = 0; t < row.size(); ++t) sample.matrix.row(static_cast<Eigen::Index>(t)) *= row[t];
  for (std::size_t t = 0; t < column.size(); ++t)
    sample.matrix.col(static_cast<Eigen::Index>(t)) *= column[t];
  sample.filter = sample.filter.with_lag_taps(taps);
  return sample;
}

inline Sample with_last_row(Sample sample, const std::vector<double>& weights) {
  sample.name += "LastRow";
  sample.filter = sample.filter.with_last_row(weights);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    sample.matrix(sample.matrix.rows() - 1, static_cast<Eigen::Index>(j)) = weights[j];
  }
  return sample;
}

inline Toeplitz square_root(std::size_t n, double beta = 1) {
  Toeplitz core;
  core.taps.assign(n, 1.0);
  core.inverse_taps.assign(n, 1.0);
  for (std::size_t k = 1; k < n; ++k) {
    const auto m = static_cast<double>(k);
    core.taps[k] = core.taps[k - 1] * beta * (2 * m - 1) / (2 * m);
    core.inverse_taps[k] = core.inverse_taps[k - 1] * beta * (2 * m - 3) / (2 * m);
  }
  return core;
}

/// T(x) = prod(1 - zeros_i x) / prod(1 - poles_i x) as one tap and modes
/// (docs/theory/shaping.md#buffered-linear-toeplitz).
inline Toeplitz blt(const std::vector<double>& poles, const std::vector<double>& zeros) {
  Toeplitz core;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    double weight = 1;
    for (std::size_t j = 0; j < poles.size(); ++j) {
      weight *= poles[i] - zeros[j];
      if (j != i) weight /= poles[i] - poles[j];
    }
    core.modes.push_back({weight, poles[i]});
  }
  return core;
}

inline Toeplitz blt4() {
  return blt({.9995, .98, .8, .4}, {.995, .93, .6, .1});
}

/// Every kind of filter once, over n >= 20 steps, all invertible and well conditioned.
inline std::vector<Sample> all(std::size_t n) {
  std::mt19937_64 random(7);
  const std::vector<double> row = random_positive(n, random), column = random_positive(n, random);
  std::vector<double> last = random_vector(n, random);
  last.back() = 1.5;
  const Toeplitz sum{.taps = {1.0}, .modes = {{1.0, 1.0}}};
  const Toeplitz decay{.taps = {1.25}, .modes = {{.9, .9}}};
  const Toeplitz banded{.taps = {1.5, .6, -.3, .2, .1}};
  const Toeplitz mixed{.taps = {2, .5, -.25}, .modes = {{.3, .9}, {-.2, -.5}, {.1, 0.0}}};
  const Toeplitz window{.taps = std::vector<double>(17, 1.0 / 17)};
  const Toeplitz long_taps{.taps = square_root(n + 5).taps, .modes = {{1, .5}}};
  const auto inverted = [](Toeplitz core) {
    core.inverted = true;
    return core;
  };
  std::vector<Sample> samples;
  samples.push_back({"Identity", Filter::identity(n),
                     LongMatrix::Identity(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n))});
  const std::vector<std::pair<std::string, Toeplitz>> cores{
      {"Prefix", sum},    {"Banded", banded},       {"Blt", blt4()},        {"Mixed", mixed},
      {"Window", window}, {"Sqrt", square_root(n)}, {"LongTaps", long_taps}};
  for (const auto& [name, core] : cores) {
    samples.push_back(toeplitz(name, n, core));
    samples.push_back(toeplitz("Row" + name, n, core, row));
    samples.push_back(toeplitz("Column" + name, n, core, {}, column));
    samples.push_back(toeplitz("Both" + name, n, core, row, column));
    samples.push_back(toeplitz("Inverted" + name, n, inverted(core)));
    samples.push_back(toeplitz("BothInverted" + name, n, inverted(core), row, column));
  }
  samples.push_back(with_last_row(toeplitz("Mixed", n, mixed), last));
  samples.push_back(with_last_row(toeplitz("BothInvertedMixed", n, inverted(mixed), row, column), last));
  const std::vector<LagTap> lags{{5, .4}, {10, .2}, {15, -.1}};
  samples.push_back(with_lag_taps("LagsAlone", n, {}, {{1, -.5}, {7, .25}}));
  samples.push_back(with_lag_taps("LagsBlt", n, blt({.8, .4}, {.6, .1}), lags));
  samples.push_back(with_lag_taps("LagsMixed", n, mixed, {{3, .3}, {1000, .5}}));
  samples.push_back(with_lag_taps("ColumnLagsBlt", n, blt({.8, .4}, {.6, .1}), lags, {}, column));
  samples.push_back(with_lag_taps("BothLagsBlt", n, blt({.8, .4}, {.6, .1}), lags, row, column));
  Sample partial = toeplitz("PartialDecay", n, decay);
  partial.filter = partial.filter.with_last_mode_weight(.95);
  partial.matrix.row(partial.matrix.rows() - 1).head(partial.matrix.cols() - 1) *= .95L / .9;
  samples.push_back(partial);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (Eigen::Index j = 0; j < dense.cols(); ++j) {
    for (Eigen::Index i = j; i < dense.rows(); ++i) {
      dense(i, j) = i == j ? 1.5 : random_vector(1, random)[0] / static_cast<double>(1 + i - j);
    }
  }
  samples.push_back({"Dense", Filter::dense(dense), dense.cast<long double>()});
  samples.push_back(with_last_row(samples.back(), last));
  return samples;
}

/// Those that a FilterStream runs in both directions by itself.
inline std::vector<Sample> without_lag_taps(std::size_t n) {
  std::vector<Sample> samples = all(n);
  std::erase_if(samples, [](const Sample& sample) { return !sample.filter.lag_taps().empty(); });
  return samples;
}

inline std::string sample_name(const auto& info) {
  return info.param.name;
}

/// The scaled BLT whose value is known (docs/theory/shaping.md#scaled-blt): V, n = 1000.
inline Filter scaled_blt_for_mean(std::size_t n) {
  const Toeplitz core = blt({.990979489614793, .744585529648281}, {.933443912788210, .307902921790450});
  const Schedule row = Schedule::power(0, -.9183037, n, 0, 0);
  std::vector<double> columns = squared_column_norms(Filter::toeplitz(n, core, row));
  for (double& value : columns) value = 1 / std::sqrt(value);
  return Filter::toeplitz(n, core, row, Schedule::values(columns));
}

}  // namespace jme::samples
