#pragma once

#include <cstddef>

#include <jme/base/horizon.hpp>
#include <jme/sensitivity/participation.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/workload/workload.hpp>

namespace jme {

/// Whether a person may have rows in several steps of a running sum or mean, so that the shape must be judged
/// by what all of them move together. Where all rows of a person fit into one step, the best shape is that of
/// one row.
[[nodiscard]] bool rows_fill_several_steps(const Workload& workload, const Horizon& horizon,
                                           const Participation& participation);

/// The first step, from 0, after which at least ten times as many rows have come as a person may have; the
/// last step where there is none. Releases before it are mostly about a few people, and shapes are not judged
/// by them (docs/people.md#which-noise-shape).
[[nodiscard]] std::size_t first_judged_step(const Horizon& horizon, const Participation& participation);

/// The mean over the releases from that step on of ||row t of A C^-1||^2; the largest for Objective::max.
[[nodiscard]] double judged_row_norm(const Filter& workload, const Filter& shape, const Horizon& horizon,
                                     const Participation& participation, Objective objective);

/// What `auto` means where rows_fill_several_steps: the least of what a person moves times the error of
/// judged releases, among BLTs, scaled BLTs for this workload and for the prefix sum, the identity and the
/// square root, as far as their state fits.
[[nodiscard]] Shape choose_people_shape(const Workload& workload, const Horizon& horizon, Objective objective,
                                        const StateLimit& limit, const Participation& participation);

}  // namespace jme
