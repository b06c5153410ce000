#include "dry_run.hpp"

#include <cmath>

#include <fmt/format.h>

#include <jme/clock/time.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/theory/expected_error.hpp>
#include <jme/theory/plan.hpp>

#include "plan_table.hpp"

namespace jme::cli {

namespace {

// Noise that the mean will carry when the horizon is reached, in the columns' own units.
std::string final_noise(const RunDescription& run, const std::vector<std::string>& columns) {
  const Mechanism& mechanism = run.mechanism;
  const Horizon& horizon = mechanism.horizon();
  const std::size_t steps = mechanism.error_steps();
  // With one row in every slot; with r of them it is r times less.
  const double weight =
      mechanism.workload_first().weight_sum(steps - 1, horizon.rows_through(steps - 1), horizon);
  const double std = std::sqrt(release_variance(mechanism).first.back()) / weight;
  const std::string when = fmt::format(
      "{}{}", horizon.is_unbounded() ? fmt::format("after {} releases", steps) : "at the end of the horizon",
      horizon.has_slots() ? ", divided by the number of rows that a slot has on average" : "");
  // A mean over a noisy count carries the count's noise too, in proportion to its distance from the middle.
  const Calibration& noise = mechanism.calibration();
  const double of_count = (noise.std_count > 0 ? noise.std_count : noise.std_rows) / noise.std_first;
  const auto range = [&](double unit) {
    const std::string least = fmt::format("{:.4g}", std * unit);
    return of_count > 0 ? fmt::format("{} to {:.4g}", least, std * unit * std::hypot(1, of_count)) : least;
  };
  const std::string end =
      of_count > 0 ? " (more, the farther a mean is from the middle and the more cells are missing)\n" : "\n";
  if (run.bounds.is_none()) return fmt::format("Noise on each mean {}: {}{}", when, range(1), end);
  if (run.bounds_are_sought) {
    return fmt::format("Noise on each mean {}, in halves of the ranges that will be found: {}{}", when,
                       range(1), end);
  }
  std::string text = fmt::format("Noise on each mean {}:", when);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", columns[i], range(run.bounds.half_width()[i]));
  }
  return text + end;
}

}  // namespace

std::string dry_run_text(const RunDescription& run, const std::vector<std::string>& columns) {
  const Mechanism& mechanism = run.mechanism;
  StreamConfig config = mechanism.config();
  if (mechanism.has_second()) config.shape_second = mechanism.shape_second();
  const Horizon& horizon = mechanism.horizon();
  std::string text =
      horizon.has_slots()
          ? fmt::format("Plan: {}one release after every slot of {}, of {} column(s)\n",
                        horizon.is_unbounded() ? "" : fmt::format("{} releases, ", horizon.steps()),
                        duration_text(static_cast<Seconds>(*config.slot_seconds)), config.dimension)
      : horizon.is_unbounded()
          ? fmt::format(
                "Plan: one release every {} row(s), without a horizon, of {} column(s); errors over "
                "the first {} releases\n",
                horizon.every(), config.dimension, mechanism.error_steps())
          : fmt::format("Plan: {} releases, one every {} row(s), of at most {} rows with {} column(s)\n",
                        horizon.steps(), horizon.every(), horizon.rows(), config.dimension);
  text += fmt::format("Workload {}, noise multiplier sigma = {:.6g}\n\n", mechanism.workload_first().name(),
                      mechanism.sigma());
  text += plan_table(plan(config, {.method = config.method, .shape = mechanism.shape_first()}));
  text += '\n' + final_noise(run, columns) + "\nPrivacy\n\n";
  text += wrapped(privacy_statement(run));
  return text + "\nNo row of data was read.\n";
}

}  // namespace jme::cli
