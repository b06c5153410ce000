#pragma once

#include <jme/pipeline/run_settings.hpp>
#include <jme/rows/source_traits.hpp>

namespace jme {

/// The one judge of which settings go together, and which go with a source. Every front calls it before it
/// opens anything. What a single value may be, and what only numbers can tell (a budget, a shape, a search for
/// bounds), is checked where it is made. Throws InvalidParameter.
void check(const RunSettings& settings, const SourceTraits& source);

}  // namespace jme
