#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/table.hpp"

namespace jme::python {

/// Memory of Python objects, held until this is destroyed.
class HeldBuffers {
 public:
  HeldBuffers() = default;
  HeldBuffers(const HeldBuffers&) = delete;
  HeldBuffers& operator=(const HeldBuffers&) = delete;
  ~HeldBuffers();

  /// The memory of an object, with its strides and format. Throws the Python error where it has none.
  const Py_buffer& hold(nanobind::handle object);

 private:
  std::deque<Py_buffer> buffers_;
};

/// Rows from an object with two dimensions; `places` are the columns that are taken, in their order. None
/// where its numbers have a type that is not taken.
[[nodiscard]] std::optional<Table> table_of(const Py_buffer& buffer, std::span<const std::size_t> places);

/// Rows from one-dimensional buffers of the same length, one per column; an item may also be a pair (values,
/// mask). Throws TypeError where one has a type that is not taken.
[[nodiscard]] Table table_of_columns(const nanobind::list& columns, HeldBuffers& held);

/// What a cell that is no number does: its row is refused, or the cell becomes infinite, which makes a bad
/// row.
enum class NoNumber { refuse, bad_cell };

/// The row that an object is, where it is plain: a tuple or list of numbers (None is a missing cell), or a
/// one-dimensional array of doubles. False: it is something else, and `row` is undefined. A list, an array or
/// a table in the place of a cell is always something else.
[[nodiscard]] bool read_row(nanobind::handle object, std::vector<double>& row,
                            NoNumber rule = NoNumber::refuse);

/// The cells of a column of Python objects: NaN for None, infinity for what is no number.
[[nodiscard]] std::vector<double> read_cells(const nanobind::list& values);

/// Whether the object is exactly an array of numpy. False where numpy was never imported.
[[nodiscard]] bool is_numpy_array(nanobind::handle object);

}  // namespace jme::python
