#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/mechanism/weak_budget.hpp>

namespace jme {

void check_delta(std::optional<double> delta, bool allow_weak) {
  if (!delta || *delta < weak_delta || allow_weak) return;
  throw InvalidParameter("delta", *delta,
                         fmt::format("below {}: with probability delta the guarantee may fail completely. "
                                     "Choose a delta far below 1/rows, or set allow-weak",
                                     weak_delta));
}

std::vector<std::string> notes_on_budget(const Budget& budget, std::optional<std::size_t> rows) {
  std::vector<std::string> notes;
  if (budget.epsilon && *budget.epsilon > weak_epsilon) {
    notes.push_back(
        fmt::format("epsilon = {:g} is above {:g}: this protects almost nothing. The odds of a guess about a "
                    "person may change by a factor of exp({:g})",
                    *budget.epsilon, weak_epsilon, *budget.epsilon));
  }
  // 1e-6 is not above 1/rows for 1e6 rows, whatever its last digit is.
  constexpr double rounding = 1 + 1e-12;
  if (budget.delta && rows && *budget.delta * static_cast<double>(*rows) > rounding) {
    notes.push_back(
        fmt::format("delta = {:g} is above 1/rows = {:g}: publishing each row with probability delta would "
                    "satisfy this guarantee. Choose a delta far below 1/rows",
                    *budget.delta, 1 / static_cast<double>(*rows)));
  }
  return notes;
}

std::vector<std::string> notes_on_budget(const StreamConfig& config) {
  if (config.slot_seconds || config.unbounded) return notes_on_budget(config.budget, std::nullopt);
  return notes_on_budget(config.budget, horizon_of(config).rows());
}

}  // namespace jme
