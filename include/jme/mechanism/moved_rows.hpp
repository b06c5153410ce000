#pragma once

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// Where steps are slots of time: what the stream promises about a row that may also have been at another
/// time, in another slot. It is mu-GDP with this mu (docs/theory/blocks.md#slots-of-time).
[[nodiscard]] double mu_of_moved_rows(const Mechanism& mechanism);

}  // namespace jme
