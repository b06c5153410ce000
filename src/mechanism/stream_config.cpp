#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/mechanism/release_layout.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/privacy/gaussian.hpp>

namespace jme {
namespace {

// Sums of this many rows of 2^20 lattice units, and of their products in units of 2^20 products, stay below
// 2^52, so that noise is added to them exactly.
constexpr std::size_t largest_block = std::size_t{1} << 31;

}  // namespace

std::optional<ApproxDp> Budget::approx_dp() const {
  if (sigma) {
    if (epsilon || delta) throw InvalidParameter("sigma", "give either sigma or epsilon and delta, not both");
    return std::nullopt;
  }
  if (!epsilon && !delta) {
    throw InvalidParameter(
        "epsilon", "must be given together with delta (or sigma in their place): how much privacy to spend");
  }
  if (!delta)
    throw InvalidParameter("delta", "must be given together with epsilon; well below 1/people, such as 1e-6");
  if (!epsilon) throw InvalidParameter("epsilon", "must be given together with delta");
  return ApproxDp{.epsilon = *epsilon, .delta = *delta};
}

double Budget::noise_multiplier() const {
  if (const std::optional<ApproxDp> target = approx_dp()) return jme::noise_multiplier(*target);
  if (!(*sigma > 0) || !std::isfinite(*sigma)) {
    throw InvalidParameter("sigma", *sigma, "a finite number above 0");
  }
  return *sigma;
}

namespace {

Horizon horizon_of_rows(const StreamConfig& config) {
  if (config.every == 0 || config.every > largest_block) {
    throw InvalidParameter("every", static_cast<double>(config.every), "a whole number from 1 to 2147483648");
  }
  if (config.unbounded) {
    if (config.rows || config.steps) {
      throw InvalidParameter("steps", "give either a number of rows or steps, or unbounded, not both");
    }
    return Horizon::unbounded(config.every, squares_noisy_rows(config.method));
  }
  if (config.rows) {
    const Horizon horizon(*config.rows, config.every);
    if (config.steps && horizon.steps() != *config.steps) {
      throw InvalidParameter("steps", "give either rows or steps; these two contradict each other");
    }
    return horizon;
  }
  if (!config.steps) {
    throw InvalidParameter("rows",
                           "the horizon must be given: the noise is made for a public number of rows");
  }
  std::size_t rows = 0;
  if (__builtin_mul_overflow(*config.steps, config.every, &rows)) {
    throw InvalidParameter("steps", static_cast<double>(*config.steps), "a horizon that fits in 64 bits");
  }
  return Horizon(rows, config.every);
}

}  // namespace

Horizon horizon_of(const StreamConfig& config) {
  const Horizon horizon = horizon_of_rows(config);
  return config.slot_seconds ? horizon.of_slots() : horizon;
}

std::string window_words(const StreamConfig& config) {
  const auto slot = static_cast<Seconds>(config.slot_seconds.value_or(1));
  const auto slots = config.participation.windows ? config.participation.windows->steps : std::size_t{1};
  const std::string words = duration_text(slot * static_cast<Seconds>(slots));
  return words == "1d" ? "day" : words == "1h" ? "hour" : words;
}

Presence presence_of(const StreamConfig& config) {
  if (config.observed) return Presence::cells;
  return config.private_count ? Presence::rows : Presence::complete;
}

ReleaseLayout ReleaseLayout::of(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  return {.dimension = config.dimension,
          .second = config.second,
          .cell_counts = config.observed,
          .row_count = config.private_count,
          .trace = mechanism.calibration().std_trace > 0};
}

StateLimit state_limit(const StreamConfig& config) {
  const ReleaseLayout layout{.dimension = config.dimension,
                             .second = config.second,
                             .cell_counts = config.observed,
                             .row_count = config.private_count};
  return state_limit(config.max_state_vectors, std::max(layout.first_size(), layout.second_size()));
}

}  // namespace jme
