#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jme/columns/bounds.hpp>
#include <jme/output/found_bounds.hpp>

namespace jme {

/// What a run takes from the file that a search for bounds wrote.
struct BoundsFile {
  BoundsOrigin origin;
  std::vector<ColumnRange> ranges;  ///< of the columns whose range was found, or that somebody put in

  /// Throws InvalidParameter("bounds", ...) for text that is not such a file. Bounds that are public
  /// knowledge have no search behind them and belong into the settings themselves: a file without one is
  /// refused, because it may be one that lost it. `name` is for messages.
  [[nodiscard]] static BoundsFile parse(std::string_view text, const std::string& name);

  /// What such a file would say.
  [[nodiscard]] static BoundsFile of(const FoundBounds& found);

  [[nodiscard]] std::vector<std::string> columns() const;
  /// Of these columns. Throws InvalidParameter where one has no range.
  [[nodiscard]] ColumnBounds bounds_of(const std::vector<std::string>& columns) const;
};

}  // namespace jme
