#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jme/columns/bounds.hpp>
#include <jme/models/divisors.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// Columns whose released mean lies within its noise of a bound: the 95% interval of the mean reaches LOW or
/// HIGH, and does not reach the middle between them, so that the noise leaves no doubt about which end it
/// is. That is what a mean looks like where most cells were clamped to that end. Made from a release and from
/// public bounds alone, so that it costs no privacy. Empty where there are no bounds.
[[nodiscard]] std::vector<std::size_t> means_at_bounds(const Release& release, const Divisors& divisors,
                                                       const ColumnBounds& bounds);

/// What to tell about them; empty where there are none.
[[nodiscard]] std::string means_at_bounds_words(const std::vector<std::size_t>& at_bounds,
                                                const std::vector<std::string>& columns);

}  // namespace jme
