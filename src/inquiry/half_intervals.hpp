#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <jme/mechanism/mechanism.hpp>
#include <jme/theory/half_interval.hpp>

#include "inquiry/expectation.hpp"

namespace jme::inquiry {

/// In the columns' own units: {mean: [..], std: [..], correlation}. Null where there is none. Where the mean
/// of a column is not known, each figure is for the mean that makes it largest; where its standard deviation
/// is not, for a sixth of its range.
[[nodiscard]] nlohmann::ordered_json half_intervals(const ExpectedRelease& release,
                                                    const std::vector<Column>& columns, bool bounded);
/// Why figures are null, by their names.
[[nodiscard]] nlohmann::ordered_json reasons(const nlohmann::ordered_json& halves,
                                             const ExpectedRelease& release, const Mechanism& mechanism,
                                             bool bounded);

}  // namespace jme::inquiry
