#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/timed_rows.hpp>

namespace jme {

std::optional<std::string> TimedRows::doubts(std::string_view unit_setting) const {
  // Of two slots one has half of the rows, and of few rows more than half come together by chance.
  constexpr std::size_t fewest_slots = 3, fewest_rows = 10;
  const auto fullest = std::max_element(of_slot_.begin(), of_slot_.end());
  const std::size_t with_time = std::accumulate(of_slot_.begin(), of_slot_.end(), outside_);
  std::string what;
  if (2 * outside_ > with_time) {
    what =
        fmt::format("({} of {}) have a time outside of the schedule and count nowhere", outside_, with_time);
  } else if (of_slot_.size() >= fewest_slots && with_time >= fewest_rows && 2 * *fullest > with_time) {
    const auto slot = static_cast<std::size_t>(fullest - of_slot_.begin());
    what = fmt::format("({} of {}) are in the same slot of time, which begins at {}", *fullest, with_time,
                       iso_text(sums_.schedule().begin_of(slot)));
  }
  if (what.empty()) return std::nullopt;
  return fmt::format(
      "more than half of the rows {}: if numbers in the column of times are not {} since 1970, {} says what "
      "they count; "
      "keep "
      "these numbers to yourself",
      what, plural(unit_), unit_setting);
}

void TimedRows::check_times(const RowRules& rules, const RowBatch& batch) const {
  if (rules.on_bad_row() == OnBadRow::zero) return;
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    if (batch.time(r)) continue;
    const std::size_t number = rows_ + r + 1;
    throw DataError(fmt::format("row {}: has no time that can be read", number), number);
  }
}

void TimedRows::take(RowRules& rules, const RowBatch& batch) {
  check_times(rules, batch);
  const MatrixView rows = rules.take(batch).rows;
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    ++rows_;
    const std::optional<Seconds> time = batch.time(r);
    if (batch.is_bad(r) || !time) continue;
    const MatrixView row = rows.part(r, 1);
    sums_.add(*time, {row.data, row.columns}) ? ++of_slot_[*sums_.schedule().slot_of(*time)] : ++outside_;
  }
}

std::vector<Note> TimedRows::notes(const RowRules& rules) const {
  std::vector<Note> notes = rules.notes();
  if (outside_ > 0) notes.push_back({.kind = Note::Kind::rows_outside, .count = outside_, .rows = rows_});
  return notes;
}

}  // namespace jme
