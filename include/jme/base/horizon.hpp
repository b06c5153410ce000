#pragma once

#include <cstddef>
#include <optional>

namespace jme {

/// How long the stream may be and when it publishes. Both are public before the first row.
/// A step is a block of `every` rows (docs/theory/blocks.md#a-step-is-a-block-of-rows); the last block may be
/// shorter.
class Horizon {
 public:
  static constexpr std::size_t most_steps = std::size_t{1} << 26;

  /// `rows` >= 1 rows in all, one release every `every` >= 1 rows; at most `most_steps` releases.
  explicit Horizon(std::size_t rows, std::size_t every = 1);
  /// No length is chosen: the noise is made so that privacy holds whenever the stream stops. The engine
  /// itself ends after `most_steps` steps of noise, which is what rows() and steps() say. `by_row`: noise is
  /// drawn for every row (PP), so that the steps are rows and not blocks.
  static Horizon unbounded(std::size_t every = 1, bool by_row = false);
  /// A step is a slot of time and has no number of rows: any number may come in it, also none, and how many
  /// is private. rows(), every() and the like then count slots, as if each were one row: weights and errors
  /// are those of rows that come evenly (docs/clocks.md).
  [[nodiscard]] Horizon of_slots() const;

  [[nodiscard]] bool is_unbounded() const { return unbounded_; }
  [[nodiscard]] bool has_slots() const { return slots_; }
  /// How many rows a step can have at most; none where there is no such number.
  [[nodiscard]] std::optional<std::size_t> most_rows_in_step() const {
    return slots_ ? std::nullopt : std::optional(every_);
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t every() const { return every_; }
  [[nodiscard]] std::size_t steps() const { return rows_ / every_ + (rows_ % every_ != 0 ? 1 : 0); }
  /// Rows that belong to step `step` (0-based): `every`, or fewer in a partial last block.
  [[nodiscard]] std::size_t rows_in_step(std::size_t step) const;
  /// Rows seen by the end of step `step` (0-based).
  [[nodiscard]] std::size_t rows_through(std::size_t step) const;
  /// The same rows with one step per row: the steps of PP's noise.
  [[nodiscard]] Horizon by_row() const;

 private:
  std::size_t rows_;
  std::size_t every_;
  bool unbounded_ = false, slots_ = false;
};

}  // namespace jme
