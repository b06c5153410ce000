#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jme/base/matrix_view.hpp>

namespace jme::python {

/// What a cell is in memory. bit: one bit of a bitmap, as Arrow has booleans. nothing: every cell is missing.
enum class Cell { f64, f32, f16, i8, u8, i16, u16, i32, u32, i64, u64, byte, bit, nothing };

/// Bytes that a cell takes; 0 for bits.
[[nodiscard]] std::size_t size_of(Cell cell);

/// One column in somebody else's memory. Missing cells are named by `valid`, a bitmap in which they are 0, or
/// by `mask`, bytes in which they are not 0.
struct Column {
  Cell cell = Cell::f64;
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;                ///< in bytes
  std::size_t first_bit = 0;                ///< Cell::bit: where the first cell is
  const std::uint8_t* valid = nullptr;      ///< none: all are there
  std::size_t first_valid = 0;              ///< bit of the first cell
  const std::uint8_t* row_valid = nullptr;  ///< the same for whole rows
  std::size_t first_row_valid = 0;
  const std::uint8_t* mask = nullptr;
  std::ptrdiff_t mask_stride = 0;

  /// Cells [begin, begin + count) as numbers; NaN where a cell is missing. Whole numbers beyond 2^53 are
  /// rounded.
  void read(std::size_t begin, std::size_t count, double* to) const;
};

/// Rows as columns of any types, or as one matrix of doubles that need not be copied.
struct Table {
  std::size_t rows = 0;
  std::vector<Column> columns{};
  MatrixView matrix{};  ///< where it has data, `columns` is empty

  [[nodiscard]] std::size_t width() const { return is_matrix() ? matrix.columns : columns.size(); }
  [[nodiscard]] bool is_matrix() const { return columns.empty(); }
};

/// True only where every cell of these rows is there and finite. False says nothing: some tables are not
/// looked through.
[[nodiscard]] bool is_whole(const Table& table, std::size_t begin, std::size_t count);

/// Gives the rows of a table a piece at a time, in memory of its own where they have to be converted.
class TableReader {
 public:
  explicit TableReader(const Table& table);
  /// The next rows, some thousands; a view without rows at the end.
  [[nodiscard]] MatrixView next();

 private:
  const Table* table_;
  std::size_t piece_, done_ = 0;
  std::vector<double> numbers_;
};

/// Calls `work` with every piece of these tables, and the number of rows before it.
template <class Work>
void for_each_piece(std::span<const Table> tables, const Work& work) {
  std::size_t before = 0;
  for (const Table& table : tables) {
    TableReader reader(table);
    for (MatrixView view = reader.next(); view.rows > 0; view = reader.next()) {
      work(view, before);
      before += view.rows;
    }
  }
}

}  // namespace jme::python
