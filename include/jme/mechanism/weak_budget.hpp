#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/mechanism/stream_config.hpp>

namespace jme {

/// With probability delta the promise may fail altogether. From here on it is refused unless somebody asks
/// for it by name.
inline constexpr double weak_delta = 0.1;
/// Above this the promise excludes next to nothing.
inline constexpr double weak_epsilon = 10;

/// Throws InvalidParameter for a delta of weak_delta or more, unless that is allowed.
void check_delta(std::optional<double> delta, bool allow_weak);

/// What to say of a budget that protects next to nobody: an epsilon above weak_epsilon, a delta above
/// 1/rows. `rows`: a public upper bound on the number of rows, none where there is none.
[[nodiscard]] std::vector<std::string> notes_on_budget(const Budget& budget, std::optional<std::size_t> rows);
/// The same for a stream: its horizon in rows. Where steps are slots of time, or there is no horizon, the
/// number of rows has no public bound, and nothing is said of delta.
[[nodiscard]] std::vector<std::string> notes_on_budget(const StreamConfig& config);

}  // namespace jme
