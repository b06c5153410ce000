#pragma once

#include <optional>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// Where steps are slots of time: what the stream promises about a row that may also have been at another
/// time, in another slot. It is mu-GDP with this mu (docs/theory/blocks.md#slots-of-time). Where a person is
/// protected window by window, it is for rows that go from one window to another, which changes both.
[[nodiscard]] double mu_of_moved_rows(const Mechanism& mechanism);

/// Where a person is protected window by window (RowWindows::are_units): what the stream promises about the
/// rows of all windows together. None elsewhere, infinite where windows have no end.
[[nodiscard]] std::optional<double> mu_of_all_windows(const Mechanism& mechanism);

}  // namespace jme
