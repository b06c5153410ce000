#pragma once

#include <cstddef>
#include <optional>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/sensitivity/joint.hpp>

namespace jme {

/// Where steps are slots of time: a person has at most `rows` rows in each window of time. A window is a
/// whole number of steps.
struct RowWindows {
  std::size_t rows = 1;
  std::size_t steps = 1;  ///< of a window; the first and the last may have fewer
  std::size_t count = 1;  ///< windows that the steps of the horizon touch at most
  /// A person is protected window by window: the rows of one window are what may differ. Else all rows of a
  /// person may.
  bool are_units = false;
  bool operator==(const RowWindows&) const = default;
};
/// How many windows a number of steps touches at most, wherever the first of them lies in its window.
[[nodiscard]] std::size_t windows_touched(std::size_t steps, std::size_t window);

/// One person contributes at most `rows` rows, any two at least `separation` rows apart. Where windows are
/// units, `rows` is the number of rows in one of them.
struct Participation {
  std::size_t rows = 1;
  std::size_t separation = 1;
  std::optional<RowWindows> windows{};
};

/// How many rows of one person fit into the horizon at that separation; never more than participation.rows.
[[nodiscard]] std::size_t rows_that_fit(const Horizon& horizon, const Participation& participation);

/// What such a person can move through C1 and C2 on this horizon: exact columns for one row; for several rows
/// the earliest packing where it is the worst (non-negative non-increasing Toeplitz, one row per step), else
/// bounds by G(l) of docs/theory/sensitivity.md#several-rows-of-one-person (sound for any C): full steps
/// where rows may be anywhere, exact where all fit into one step, and blocks with multiplicities where they
/// are separated; and windows, where their rows are limited besides.
[[nodiscard]] Exposure exposure(const Filter& c1, const Filter& c2, const Horizon& horizon,
                                const Participation& participation);

}  // namespace jme
