#pragma once

#include <cstddef>

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

  [[nodiscard]] bool is_unbounded() const { return unbounded_; }
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
  bool unbounded_ = false;
};

}  // namespace jme
