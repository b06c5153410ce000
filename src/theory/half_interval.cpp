#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <jme/base/errors.hpp>
#include <jme/theory/half_interval.hpp>

#include "filter/error_norm_stream.hpp"
#include "filter/norms.hpp"
#include "theory/release_gram.hpp"

namespace jme {

namespace {

constexpr double missed = 0.05;
constexpr double normal_95 =
    1.959963984540054;  // a normal number exceeds it, either way, with probability 5%

double upper_tail(double deviations) {
  return std::erfc(deviations / std::numbers::sqrt2) / 2;
}

double square(double x) {
  return x * x;
}

/// The least half-width that is missed in 5% of runs. `miss` falls.
double least_half(const std::function<double(double)>& miss, double guess) {
  double low = 0, high = guess;
  while (miss(high) > missed) {
    low = high;
    high *= 2;
  }
  // 1e-12 of the half-width: far less than what is printed.
  while (high - low > 1e-12 * high) {
    const double middle = (low + high) / 2;
    (miss(middle) > missed ? low : high) = middle;
  }
  return high;
}

double block_norm(const Mechanism& mechanism, const Workload& workload, const Filter& a, const Filter& c,
                  std::size_t rows) {
  const Horizon& planned = mechanism.horizon();
  const std::size_t step = (rows - 1) / planned.every();
  ErrorNormStream norms(a, c);
  if (rows == planned.rows_through(step)) return norms.at(step);
  if (!norms.closes_early()) {
    throw InvalidParameter("expect-rows", std::to_string(rows),
                           "a multiple of every, or all rows, with this workload");
  }
  norms.skip_to(step);
  return norms.last(workload.close(rows, rows - step * planned.every()));
}

/// The noise on averages over the rows that are expected: standard deviations.
struct AverageNoise {
  double first, diagonal, off_diagonal, count, pair_count;

  explicit AverageNoise(const ExpectedRelease& release)
      : first(release.noise.first / release.weight),
        diagonal(release.noise.diagonal / release.weight),
        off_diagonal(release.noise.off_diagonal / release.weight),
        count(release.noise.count / release.weight),
        pair_count(release.noise.pair_count / release.weight) {}
};

/// The expectation of f(1 + n/N) over the noise n of a count N, by Simpson's rule: within 1e-9 for functions
/// between 0 and 1 as smooth as these. Beyond eight deviations there is less than 1e-14.
double over_counts(double deviation, const std::function<double(double)>& f) {
  if (deviation == 0) return f(1);
  constexpr int parts = 160;
  constexpr double end = 8;
  double sum = 0, weights = 0;
  for (int i = 0; i <= parts; ++i) {
    const double z = end * (2.0 * i / parts - 1);
    const double weight = (i == 0 || i == parts ? 1 : i % 2 == 0 ? 2 : 4) * std::exp(-z * z / 2);
    sum += weight * f(1 + z * deviation);
    weights += weight;
  }
  return sum / weights;
}

/// Mean of the released variance of a column where the count came out `ratio` times too large.
double variance_at(const ExpectedColumn& column, double ratio) {
  return (square(column.deviation) + square(column.mean)) / ratio - square(column.mean / ratio);
}

/// (e - m n)/(N + n) exceeds `half` where e - (m + half) n > half N, and falls below -half where
/// e - (m - half) n < -half N: one or the other, where N + n > 0.
double miss_of_ratio(const ExpectedRelease& release, double mean, double half) {
  const auto tail = [&](double end) {
    return upper_tail(half * release.weight / std::hypot(release.noise.first, end * release.noise.count));
  };
  return tail(mean + half) + tail(mean - half);
}

bool is_released(const ExpectedRelease& release) {
  return release.weight > 0 && probability_known(release) >= 1 - missed;
}

}  // namespace

ReleaseNorms release_norms(const Mechanism& mechanism, std::size_t rows) {
  const Horizon& horizon = mechanism.horizon();
  if (rows == 0 || rows > horizon.rows()) {
    throw InvalidParameter("expect-rows", std::to_string(rows),
                           "at least 1 and at most as many as the stream can have");
  }
  if (squares_noisy_rows(mechanism.config().method)) {
    const std::size_t step = (rows - 1) / horizon.every();
    if (rows != horizon.rows_through(step)) {
      throw InvalidParameter("expect-rows", std::to_string(rows), "a multiple of every with this method");
    }
    return {.first = theory::release_row_norms(mechanism.workload_first(), horizon, mechanism.c1()).at(step),
            .second = 0};
  }
  ReleaseNorms norms{
      .first = block_norm(mechanism, mechanism.workload_first(), mechanism.a1(), mechanism.c1(), rows),
      .second = 0};
  if (mechanism.has_second()) {
    norms.second = mechanism.second_is_like_first() ? norms.first
                                                    : block_norm(mechanism, mechanism.workload_second(),
                                                                 mechanism.a2(), mechanism.c2(), rows);
  }
  return norms;
}

SumNoise sum_noise(const Mechanism& mechanism, const ReleaseNorms& norms) {
  const Calibration& noise = mechanism.calibration();
  const double first = std::sqrt(norms.first), second = std::sqrt(norms.second);
  const bool cells = mechanism.config().observed;
  const bool has_second = mechanism.has_second() && !squares_noisy_rows(mechanism.config().method);
  return {.first = noise.std_first * first,
          .diagonal = has_second ? noise.std_diagonal() * second : 0,
          .off_diagonal = mechanism.config().second == SecondMoment::full && has_second
                              ? noise.std_off_diagonal * second
                              : 0,
          .count = (cells ? noise.std_count : noise.std_rows) * first,
          .pair_count = cells ? noise.std_pair_count * second : 0,
          .has_second = has_second,
          .counts_cells = cells};
}

double probability_known(const ExpectedRelease& release) {
  const SumNoise& noise = release.noise;
  if (noise.count == 0) return 1;
  const double of_rows = upper_tail(release.known_above - release.weight / noise.count);
  if (noise.pair_count == 0) return of_rows;
  return of_rows - upper_tail(release.weight / noise.pair_count - release.known_above);
}

double probability_of_miss(const ExpectedRelease& release, double mean, double half) {
  const double unknown = release.noise.count == 0
                             ? 0
                             // What the counts of pairs say plays no part for a mean.
                             : upper_tail(release.weight / release.noise.count - release.known_above);
  return std::min(1.0, miss_of_ratio(release, mean, half) + unknown);
}

std::optional<double> half_of_mean(const ExpectedRelease& release, double mean) {
  if (!is_released(release)) return std::nullopt;
  const double to_first_order =
      normal_95 * std::hypot(release.noise.first, mean * release.noise.count) / release.weight;
  return least_half([&](double half) { return miss_of_ratio(release, mean, half); }, to_first_order);
}

std::optional<double> half_of_deviation(const ExpectedRelease& release, const ExpectedColumn& column) {
  if (!release.noise.has_second || !is_released(release)) return std::nullopt;
  const AverageNoise noise(release);
  const double s = column.deviation;
  const auto miss = [&](double half) {
    return over_counts(noise.count, [&](double ratio) {
      const double middle = variance_at(column, ratio), first = noise.first / ratio;
      const double t = std::sqrt(square(noise.diagonal / ratio) + square(2 * column.mean / ratio * first) +
                                 2 * square(square(first)));
      const double above = upper_tail((square(s + half) - middle) / t);
      return half < s ? above + upper_tail((middle - square(s - half)) / t) : above;
    });
  };
  return least_half(miss, s);
}

std::optional<double> half_of_correlation(const ExpectedRelease& release, const ExpectedColumn& a,
                                          const ExpectedColumn& b) {
  if (release.noise.off_diagonal == 0 || !is_released(release)) return std::nullopt;
  const AverageNoise noise(release);
  const bool cells = release.noise.counts_cells;
  const double product = a.mean * b.mean, means = square(a.mean) + square(b.mean);
  // Counts of cells and pairs are to first order alone.
  const double of_cells = cells ? square(product) * (square(noise.pair_count) + 2 * square(noise.count)) : 0;
  const auto miss = [&](double half) {
    return over_counts(cells ? 0 : noise.count, [&](double ratio) {
      const double middle = product / ratio - product / square(ratio), first = noise.first / ratio;
      const double t = std::sqrt(square(noise.off_diagonal / ratio) + means * square(first / ratio) +
                                 square(square(first)) + of_cells);
      // Where the count leaves no variance, no correlation is left either.
      const double scale =
          std::sqrt(std::max(0.0, variance_at(a, ratio)) * std::max(0.0, variance_at(b, ratio)));
      return upper_tail((half * scale - middle) / t) + upper_tail((half * scale + middle) / t);
    });
  };
  if (miss(1) > missed) return std::nullopt;
  return least_half(miss, 1);
}

}  // namespace jme
