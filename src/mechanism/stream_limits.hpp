#pragma once

#include <cstddef>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// The most rows that PP can have with a shape whose inverse has no constant diagonals: the noise level of
/// its second moment is then computed from the whole matrix.
inline constexpr std::size_t most_rows_of_shaped_pp = 4096;

/// Throws what the constructor of a MomentStream would throw for this mechanism, without taking the stream's
/// memory, which grows with the square of the dimension. For checks before anything is opened.
void check_stream_limits(const Mechanism& mechanism);

}  // namespace jme
