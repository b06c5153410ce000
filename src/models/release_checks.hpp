#pragma once

#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme::models {

/// Throws InvalidParameter unless something was released and the units have its dimension.
void check_release(const Release& release, const Units& units);
/// And unless there is a second moment, a full one where asked.
void check_second(const Release& release, const Units& units, bool full);
/// Throws unless a release's weights have a mean: both sums above zero.
void check_weights(const Release& release);

}  // namespace jme::models
