#include "shaping/scaled_blt_table.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace jme::shaping {
namespace {

#include "shaping/tables/scaled_blt_table.inc"

/// Numbers for (decay j, horizon k): consecutive horizons of one decay, then the next decay.
std::span<const float> numbers(ScaledBltTable table, std::size_t buffers) {
  static constexpr std::span<const float> rmse[] = {rmse_1, rmse_2, rmse_3, rmse_4, rmse_5, rmse_6};
  static constexpr std::span<const float> max[] = {max_1, max_2, max_3, max_4, max_5, max_6};
  static constexpr std::span<const float> mean[] = {mean_1, mean_2, mean_3, mean_4, mean_5, mean_6};
  switch (table) {
    case ScaledBltTable::rmse:
      return rmse[buffers - 1];
    case ScaledBltTable::max:
      return max[buffers - 1];
    case ScaledBltTable::mean:
      break;
  }
  return mean[buffers - 1];
}

struct Weighted {
  std::size_t node;
  double weight;
};

/// Cubic Lagrange interpolation between nodes 0, 1, ..., count - 1.
std::vector<Weighted> interpolation(double position, std::size_t count) {
  const auto last = static_cast<double>(count - 1);
  if (count == 1) return {{.node = 0, .weight = 1}};
  const double first = std::clamp(std::floor(position) - 1, 0.0, last - 3);
  std::vector<Weighted> weights;
  for (int i = 0; i < 4; ++i) {
    double weight = 1;
    for (int other = 0; other < 4; ++other) {
      if (other != i) weight *= (position - first - other) / (i - other);
    }
    weights.push_back(
        {.node = static_cast<std::size_t>(first) + static_cast<std::size_t>(i), .weight = weight});
  }
  return weights;
}

}  // namespace

double ScaledBltGrid::fading(std::size_t j) {
  return 0.5 * (std::pow(2.0, static_cast<double>(j)) - 1);
}

double ScaledBltGrid::smallest_steps() {
  return std::pow(4.0, static_cast<double>(first_power));
}

std::vector<double> tabulated_scaled_blt(ScaledBltTable table, std::size_t buffers, double steps,
                                         double fading) {
  const std::span<const float> all = numbers(table, buffers);
  const std::size_t size = 2 * buffers + 4;
  const std::size_t decays = table == ScaledBltTable::mean ? 1 : ScaledBltGrid::decays;
  const std::size_t horizons = all.size() / (size * decays);
  const auto last = static_cast<double>(horizons - 1);
  const auto at_horizon = [&](double position) {
    std::vector<double> x(size, 0.0);
    for (const Weighted& row : interpolation(std::log2(1 + 2 * fading), decays)) {
      for (const Weighted& column : interpolation(position, horizons)) {
        const auto entry = all.subspan((row.node * horizons + column.node) * size, size);
        for (std::size_t i = 0; i < size; ++i)
          x[i] += row.weight * column.weight * static_cast<double>(entry[i]);
      }
    }
    return x;
  };
  const double position = std::log2(steps) / 2 - static_cast<double>(ScaledBltGrid::first_power);
  std::vector<double> x = at_horizon(std::min(position, last));
  if (position > last) {
    // -log(1 - pole) grows like log n, and the gaps share this growth: the gaps, not their logarithms,
    // continue linearly, and so does the schedule's start, whose offset grows like n. Powers must not run
    // away, so they go no further than three nodes (a factor 64 in n). The end's offset stays: it concerns a
    // few steps at any length.
    const std::vector<double> before = at_horizon(last - 1);
    const double beyond = position - last;
    for (std::size_t i = 0; i < 2 * buffers; ++i) {
      const double gap = std::exp(x[i]);
      x[i] = std::log(std::max(gap + beyond * (gap - std::exp(before[i])), gap / 4));
    }
    const std::size_t offset = 2 * buffers, start_power = offset + 1, end_power = offset + 3;
    x[offset] += beyond * (x[offset] - before[offset]);
    for (const std::size_t i : {start_power, end_power}) x[i] += std::min(beyond, 3.0) * (x[i] - before[i]);
  }
  return x;
}

}  // namespace jme::shaping
