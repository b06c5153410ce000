#pragma once

#include <string>
#include <vector>

#include <jme/output/metadata.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_rules.hpp>

namespace jme::cli {

/// Says on stderr how many rows and cells were changed on the way in.
void tell(const RowRules& rules, const PreparedRun& run, const std::vector<std::string>& columns);

/// Says on stderr which means of the newest release lie within their noise of a bound. Made from public
/// numbers.
void tell_means_at_bounds(const Release& newest, const RunDescription& description, const PreparedRun& run);

/// Says on stderr what the owner of the data should know about bounds that were found.
void tell(const FoundBounds& found);

/// Says on stderr which flags about what is emitted change nothing.
void tell_unused(const PreparedRun& run);

}  // namespace jme::cli
