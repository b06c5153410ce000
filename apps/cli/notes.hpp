#pragma once

#include <string>
#include <vector>

#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_intake.hpp>

namespace jme::cli {

/// Says on stderr how many rows and cells were changed on the way in.
void tell(const RowIntake& intake, const PreparedRun& run, const std::vector<std::string>& columns);

/// Says on stderr what the owner of the data should know about bounds that were found.
void tell(const FoundBounds& found);

/// Says on stderr which flags about what is emitted change nothing.
void tell_unused(const PreparedRun& run);

}  // namespace jme::cli
