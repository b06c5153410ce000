#pragma once

#include <cstddef>
#include <optional>

#include "filter/stream.hpp"

namespace jme {

/// A piece of a step that one thread takes at a time: some ten microseconds.
inline constexpr std::size_t coordinates_per_piece = 8 * FilterStream::tile;

/// Threads for a step of this width: as many as asked for, or as the processor has, but none that would be
/// woken for less than four pieces.
[[nodiscard]] unsigned threads_for_step(std::size_t width, std::optional<unsigned> asked);

}  // namespace jme
