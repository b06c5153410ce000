#pragma once

#include <string>

#include <jme/pipeline/configure.hpp>
#include <jme/theory/plan.hpp>

#include "parse.hpp"

namespace jme::cli {

/// Says on stderr which flags change nothing. `settings` may have more settings than `given`, from a file.
void tell_unused(const RunSettings& given, const RunSettings& settings, const StreamConfig& config);
/// These settings with the method and shapes of a candidate, as a user would type them.
[[nodiscard]] std::string with_choice(const RunSettings& settings, const PlanCandidate& candidate);
/// An input and all settings that were given, as a user would type them.
[[nodiscard]] std::string as_flags(const std::string& file, const RunSettings& settings);

}  // namespace jme::cli
