#pragma once

#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme::models {

/// Throws InvalidParameter unless something was released and the units have its dimension.
void check_release(const Release& release, const Units& units);
/// The same, and throws unless there is a second moment, and a full one where `full` is true.
void check_second(const Release& release, const Units& units, bool full);
/// Throws unless a mean can be formed with a release's weights: both sums must be above zero. Private counts
/// need none.
void check_weights(const Release& release);

}  // namespace jme::models
