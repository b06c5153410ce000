#include "row_intake.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exit_codes.hpp"

namespace jme::cli {

RowIntake::RowIntake(RowReader& reader, const ColumnBounds& bounds, MissingCells missing, OnBadRow on_bad_row,
                     double norm_bound)
    : reader_(reader),
      bounds_(bounds),
      missing_(std::move(missing)),
      on_bad_row_(on_bad_row),
      norm_bound_(norm_bound),
      means_(reader.dimension(), 0.0),
      filled_(reader.dimension(), 0) {
  reader_.on_missing(missing_.rules());
}

bool RowIntake::next(std::span<double> row) {
  if (!reader_.next(row)) return false;
  if (reader_.is_bad()) {
    ++zero_rows_;  // zero in the unit box: the middle of the bounds
    return true;
  }
  bounds_.to_unit(row);
  const auto cells = reader_.missing_cells();
  if (cells.empty()) return true;
  missing_.fill(row, cells, means_);
  ++filled_rows_;
  for (const std::size_t i : cells) ++filled_[i];
  return true;
}

void RowIntake::learn(const Release& release) {
  if (!missing_.uses_means() || !(release.weight_first() > 0)) return;
  // Early means are mostly noise. Weigh them as one would who knows of a column only that it is about as
  // large as the norm bound allows, variance zeta^2 / d: that is what a centred column of rows of that length
  // has.
  const double variance = std::pow(release.std_first() / release.weight_first(), 2);
  const double d = static_cast<double>(release.dimension());
  const double trust = 1 / (1 + variance * d / (norm_bound_ * norm_bound_));
  for (std::size_t i = 0; i < means_.size(); ++i) {
    means_[i] = trust * release.first()[i] / release.weight_first();
    if (!bounds_.is_none()) means_[i] = std::clamp(means_[i], -1.0, 1.0);
  }
}

std::string RowIntake::advice(bool something_was_released) const {
  std::vector<std::string_view> parts;
  if (reader_.is_bad_for_missing_cell()) parts.push_back("--missing fills single cells");
  if (on_bad_row_ == OnBadRow::fail) parts.push_back("--on-bad-row zero counts such a row as zero");
  if (something_was_released) {
    parts.push_back("what was released before it stays released and its privacy is spent");
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

void RowIntake::tell() const {
  if (zero_rows_ > 0) {
    print_note(
        fmt::format("{} bad row(s) counted as zero{}: the published values are pulled there; keep this "
                    "number to yourself",
                    zero_rows_, bounds_.is_none() ? "" : ", the middle of the bounds"));
  }
  if (filled_rows_ > 0) {
    std::string columns;
    for (std::size_t i = 0; i < filled_.size(); ++i) {
      if (filled_[i] > 0) {
        columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", reader_.columns()[i], filled_[i]);
      }
    }
    print_note(
        fmt::format("{} row(s) had missing cells that were filled ({}); keep these numbers to yourself",
                    filled_rows_, columns));
  }
}

}  // namespace jme::cli
