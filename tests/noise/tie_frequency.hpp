#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>

#include <gtest/gtest.h>

#include "noise/rounding_kernels.hpp"
#include "noise/rounding_tolerance.hpp"

namespace jme::tie_frequency {

/// sigma(epsilon, 1e-6) as `jme calibrate` prints it, and the logarithm of the frequency that was estimated
/// before anything was built (0: none was).
struct Budget {
  double epsilon, sigma;
  int estimate;
};
inline constexpr std::array budgets{Budget{1e-4, 17241.1083, -11}, Budget{1e-3, 2436.55249, -14},
                                    Budget{1e-2, 306.350376, -17}, Budget{0.1, 36.3046904, -20},
                                    Budget{1, 4.22467889, -23},    Budget{8, 0.652935384, 0},
                                    Budget{20, 0.309084681, 0}};

struct Counter {
  double reach;
  mutable std::uint64_t left_kernel = 0, exact = 0;

  static double decide(const void* context, std::size_t /*i*/, double own, double past) {
    const Counter& self = *static_cast<const Counter*>(context);
    const double value = own + past, rounded = nearest_whole(value);
    ++self.left_kernel;
    self.exact += !is_certain(value, rounded, own, self.reach);
    return rounded;
  }
};

/// Binomial counts of mean m: beyond these limits with probability below 1e-9 on each side (Bernstein).
inline void expect_poisson(std::uint64_t count, double mean, const char* what, double epsilon) {
  const double x = 9 * std::numbers::ln10;
  const double deviation = std::sqrt(2 * mean * x);
  EXPECT_LE(static_cast<double>(count), mean + deviation + 2 * x / 3) << what << ' ' << epsilon;
  EXPECT_GE(static_cast<double>(count), mean - deviation) << what << ' ' << epsilon;
}

/// Counts how often draws need is_certain and exact arithmetic: fresh deviation 2 sigma 2^20 lattice units (a
/// lattice of 2^-20 of the norm bound, rows that move by twice that), and a normal past of this many such
/// deviations.
///
/// Over one unit, density and tolerance change by a relative 2^-18 at most, so that the value's place between
/// two whole numbers is uniform: a tolerance t is hit with probability 2 E t, where E |N(0, s^2)| is
/// s sqrt(2 / pi).
inline void expect_predicted(std::uint64_t draws, double past_deviations) {
  constexpr std::size_t tile = 512;
  const GaussianSource source(InsecureTestSeed{11}.key(), Nonce{});
  std::printf("past of %g deviations, %g draws\n", past_deviations, static_cast<double>(draws));
  std::printf("%8s %14s | %22s | %22s | %s\n", "epsilon", "log2 deviation", "left by kernel: log2 f",
              "exact: log2 f (count)", "estimated");
  for (const Budget& budget : budgets) {
    const double fresh = 2 * budget.sigma * 0x1p20;
    const Counter counter{.reach = fresh};
    const RoundedStep step{.fresh = fresh,
                           .past = fresh * past_deviations,
                           .column = 1,
                           .limit = certain_limit(fresh),
                           .decision = {.context = &counter, .decide = &Counter::decide}};
    alignas(64) std::array<double, tile> own, past, values{};
    for (std::uint64_t done = 0; done < draws; done += tile) {
      source.fill(Channel::first, done / tile, 0, own);
      source.fill(Channel::second, done / tile, 0, past);
      rounded_step(step, own.data(), past_deviations == 0 ? nullptr : past.data(), values.data(), nullptr,
                   tile);
    }
    const double count = static_cast<double>((draws + tile - 1) / tile * tile);
    const double mean_own = fresh * std::sqrt(2 / std::numbers::pi);
    const double of_value = value_error * mean_own * std::hypot(1, past_deviations);
    const double exact = 2 * (own_error * mean_own + of_value + spread * fresh + test_error);
    const double left = 2 * (0.5 - step.limit + of_value);
    const auto seen = [&](std::uint64_t hits) { return std::log2(static_cast<double>(hits) / count); };
    std::printf("%8g %14.1f | %7.1f, expected %5.1f | %6.1f (%llu), expected %5.1f | ", budget.epsilon,
                std::log2(fresh), seen(counter.left_kernel), std::log2(left), seen(counter.exact),
                static_cast<unsigned long long>(counter.exact), std::log2(exact));
    if (budget.estimate == 0) {
      std::printf("-\n");
    } else {
      std::printf("%d\n", budget.estimate);
      EXPECT_LE(std::log2(exact), budget.estimate);
    }
    expect_poisson(counter.left_kernel, count * left, "left by the kernel at epsilon", budget.epsilon);
    expect_poisson(counter.exact, count * exact, "exact arithmetic at epsilon", budget.epsilon);
  }
}

}  // namespace jme::tie_frequency
