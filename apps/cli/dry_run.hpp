#pragma once

#include <string>
#include <vector>

#include <jme/output/metadata.hpp>

namespace jme::cli {

/// The plan and the privacy statement in words, for --dry-run.
[[nodiscard]] std::string dry_run_text(const RunDescription& run, const std::vector<std::string>& columns);

}  // namespace jme::cli
