#pragma once

#include <cstddef>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/sensitivity/joint.hpp>
#include <jme/sensitivity/participation.hpp>

namespace jme::sensitivity {

/// What a person with `rows` >= 2 rows anywhere can move, for any C1 and C2
/// (docs/theory/sensitivity.md#several-rows-of-one-person). A step holds at most m = min(rows, every) of
/// them. The change is worst where the rows fill as few steps as they can and those of a step change alike:
/// p = ceil(rows / m) steps of m rows, the last of them with the rest. `rows` must fit the horizon.
///
/// Where all rows fit into one step the result is exact: every column, `rows` times.
[[nodiscard]] Exposure full_steps_exposure(const Filter& c1, const Filter& c2, const Horizon& horizon,
                                           std::size_t rows);

/// What a person can move who has `rows` rows in each window of `window` steps, at most `in_step` of them in
/// a step (docs/theory/sensitivity.md#rows-in-each-window). Windows are whole numbers of steps, one after
/// another from the first step; a step that holds rows of two windows breaks the bound.
[[nodiscard]] Exposure windows_exposure(const Filter& c1, const Filter& c2, std::size_t rows,
                                        std::size_t in_step, std::size_t window);

/// The same for a person who has `rows_in_all` rows besides, wherever the first window begins: the rows of a
/// window may all be in one step, and they are in as few windows as they can.
[[nodiscard]] Exposure limited_windows_exposure(const Filter& c1, const Filter& c2, const RowWindows& windows,
                                                std::size_t rows_in_all);

}  // namespace jme::sensitivity
