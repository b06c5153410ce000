#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/moments/row_map.hpp>
#include <jme/moments/wide_int.hpp>

namespace jme {

/// The sums of some rows of a block and of the rows' products, after clipping and snapping, as whole numbers
/// and without rounding. Because only whole numbers are added, the sums and their bytes are the same however
/// a block's rows are divided and in whatever order the parts are merged (src/moments/GUARANTEES.md).
///
/// RAW DATA: it has no noise. Whoever holds it knows sums of people's rows.
class BlockSum {
 public:
  /// A block has at most 2^31 rows, and more are refused. A slot of time takes any number: how many rows
  /// others have sent is private, so nobody is refused because of them. A stream takes no more from it than
  /// 2^31 rows can add up to (saturated()).
  enum class Of : std::uint8_t { block, slot };
  explicit BlockSum(const RowMap& map, Of of = Of::block);
  BlockSum(const BlockSum& other);
  BlockSum& operator=(const BlockSum& other);
  BlockSum(BlockSum&&) noexcept;
  BlockSum& operator=(BlockSum&&) noexcept;
  ~BlockSum();

  /// Adds all of the rows. Where one is not finite or has another width, adds none and throws DataError.
  void add_rows(const MatrixView& rows);
  void add(std::span<const double> row);
  /// Throws InvalidParameter for sums with another map or, unless these are of a slot, for more than 2^31
  /// rows together.
  void merge(const BlockSum& other);

  [[nodiscard]] const RowMap& map() const { return map_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// Sums of the rows in lattice units; where counts are released, 2^20 for every cell that was present and
  /// every row that existed (ReleaseLayout).
  [[nodiscard]] std::span<const std::int64_t> first() const;
  /// Sums of the rows' products in squared lattice units: the upper triangle row by row, or the diagonal.
  [[nodiscard]] std::span<const WideInt> products() const;
  /// Sums of the products of present cells, 2^40 each: the upper triangle row by row, or nothing.
  [[nodiscard]] std::span<const WideInt> pairs() const;

  /// Little endian; the same bytes for the same sums.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Throws DataError for bytes that are incomplete, have another version or map, or that no rows could give.
  [[nodiscard]] static BlockSum from_bytes(std::span<const std::byte> bytes, const RowMap& map,
                                           Of of = Of::block);
  /// Every sum cut to what 2^31 rows can add up to, which brings no two sums farther apart.
  [[nodiscard]] static std::int64_t saturated(std::int64_t sum);
  [[nodiscard]] static WideInt saturated(WideInt product);

  /// Throws InvalidParameter unless a stream of this mechanism makes its rows in the same way.
  void check_fits(const Mechanism& mechanism) const;
  bool operator==(const BlockSum& other) const;

 private:
  struct Adding;
  void collect() const;
  void check_room(std::uint64_t rows) const;
  void check_possible() const;
  void check_possible_counts() const;

  RowMap map_;
  Of of_;
  std::uint64_t rows_ = 0, not_collected_ = 0;
  // Rows that were added and not yet collected are in `adding_`.
  mutable std::vector<std::int64_t> first_;
  mutable std::vector<WideInt> products_, pairs_;
  mutable std::unique_ptr<Adding> adding_;
};

}  // namespace jme
