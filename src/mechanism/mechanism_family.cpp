#include "mechanism/mechanism_family.hpp"

#include <fmt/format.h>

#include "mechanism/parts.hpp"

namespace jme {

namespace {

std::string windows_key(const Participation& participation) {
  if (!participation.windows) return "";
  const RowWindows& windows = *participation.windows;
  return fmt::format("|{} {} {} {}", windows.rows, windows.steps, windows.count, windows.are_units);
}

}  // namespace

// Everything that make_parts depends on, by name.
std::shared_ptr<const Mechanism::Parts> MechanismFamily::parts_of(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  const bool is_named = config.workload.kind() != Workload::Kind::custom &&
                        mechanism.workload_second().kind() != Workload::Kind::custom &&
                        !has_numbers(config.shape) &&
                        !(config.shape_second && has_numbers(*config.shape_second));
  if (!is_named) return mechanism.make_parts();
  const StateLimit limit = state_limit(config);
  const bool noises_rows = squares_noisy_rows(config.method);
  // cs runs the first channel's shape in both, which is no exception where both ask for the same.
  const bool forces_one_shape =
      config.method == Method::cs && !(mechanism.has_second() && asks_the_same(config));
  const std::string key =
      fmt::format("{} {} {}|{}|{}|{}|{}|{} {} {}|{}|{} {}|{} {}", config.rows.value_or(0),
                  config.steps.value_or(0), config.unbounded, config.every, config.workload.name(),
                  config.workload_second ? config.workload_second->name() : "", config.shape.name(),
                  config.shape_second ? config.shape_second->name() : "", noises_rows, forces_one_shape,
                  mechanism.has_second(), config.participation.rows, config.participation.separation,
                  limit.vectors, limit.with_lags) +
      fmt::format("|{} {}", static_cast<int>(config.objective), config.slot_seconds.has_value()) +
      windows_key(config.participation);
  std::shared_ptr<const Mechanism::Parts>& known = known_[key];
  if (!known) known = mechanism.make_parts();
  return known;
}

}  // namespace jme
