#include "bindings/collector.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/base/errors.hpp>

#include "bindings/arrays.hpp"
#include "bindings/arrow.hpp"
#include "bindings/buffers.hpp"
#include "bindings/column_places.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

bool is_text(nb::handle object) {
  return PyUnicode_Check(object.ptr()) != 0 || PyBytes_Check(object.ptr()) != 0;
}

bool is_sequence(nb::handle row) {
  return PySequence_Check(row.ptr()) != 0 && !is_text(row);
}

/// Why a row is none, to be said after its number.
std::string fault_of(nb::handle row, NoNumber rule) {
  const auto type_of = [](nb::handle object) { return Py_TYPE(object.ptr())->tp_name; };
  if (!is_sequence(row)) {
    const bool is_number = PyNumber_Check(row.ptr()) != 0;
    return fmt::format(": a row is a tuple, a list or an array of numbers, not {}{}", type_of(row),
                       is_number ? "; a row of one number x is (x,)" : "");
  }
  const nb::object items = nb::steal(PySequence_Tuple(row.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  std::vector<double> number;
  std::size_t place = 0;
  for (const nb::handle item : items) {
    ++place;
    if (read_row(nb::make_tuple(item), number, rule)) continue;
    return is_text(item)
               ? fmt::format(
                     ", value {}: is text, which is not taken for a number; convert it if it should be",
                     place)
               : fmt::format(", value {}: a number was expected, not {}", place, type_of(item));
  }
  return ": has no numbers";
}

/// Rows that come one after another, or in tables with the same columns, until all of them are there.
class RowCollector {
 public:
  /// `before`: rows of the same push that others have. `zeroes_bad_rows`: a cell that is no number makes a
  /// bad row.
  RowCollector(std::size_t before, bool zeroes_bad_rows)
      : before_(before), rule_(zeroes_bad_rows ? NoNumber::bad_cell : NoNumber::refuse) {}
  void add(nb::handle row) {
    const std::size_t number = before_ + rows_ + 1;
    if (!read_row(row, row_, rule_) && !read_sequence(row)) {
      throw nb::type_error(fmt::format("row {}{}", number, fault_of(row, rule_)).c_str());
    }
    if (rows_ > 0 && row_.size() != width_) {
      throw DataError(
          fmt::format("row {}: has {} values, the rows before have {}", number, row_.size(), width_), number);
    }
    width_ = row_.size();
    numbers_.insert(numbers_.end(), row_.begin(), row_.end());
    ++rows_;
  }
  void add_columns(const nb::list& columns) {
    HeldBuffers held;
    add_table(table_of_columns(columns, held));
  }
  void add_arrow(const ArrowRows& rows, const std::vector<std::size_t>& places) {
    for (const Table& table : rows.tables(places)) add_table(table);
  }
  [[nodiscard]] std::size_t size() const { return rows_; }
  /// Gives the rows away.
  [[nodiscard]] Array array() { return array_of(std::move(numbers_), {rows_, width_}); }

 private:
  /// A sequence of another type, such as a named tuple.
  bool read_sequence(nb::handle row) {
    if (!is_sequence(row)) return false;
    const nb::object items = nb::steal(PySequence_Tuple(row.ptr()));
    if (!items.is_valid()) throw nb::python_error();
    return read_row(items, row_, rule_);
  }
  void add_table(const Table& table) {
    width_ = table.width();
    TableReader reader(table);
    for (MatrixView view = reader.next(); view.rows > 0; view = reader.next()) {
      for (std::size_t i = 0; i < view.rows; ++i) {
        for (std::size_t j = 0; j < view.columns; ++j) numbers_.push_back(view.at(i, j));
      }
    }
    rows_ += table.rows;
  }

  std::vector<double> numbers_, row_;
  std::size_t before_, rows_ = 0, width_ = 0;
  NoNumber rule_;
};

}  // namespace

void bind_collector(nb::module_& m) {
  nb::class_<RowCollector>(m, "RowCollector")
      .def(nb::init<std::size_t, bool>())
      .def("add", &RowCollector::add)
      .def("add_columns", &RowCollector::add_columns)
      .def("add_arrow", &RowCollector::add_arrow)
      .def("__len__", &RowCollector::size)
      .def("array", &RowCollector::array);
  nb::class_<ArrowRows>(m, "ArrowRows")
      .def(nb::init<nb::handle>())
      .def_prop_ro("names", [](const ArrowRows& rows) { return rows.names(); });
  m.def("column_places", &column_places, nb::arg("columns"), nb::arg("names").none(), nb::arg("width"));
  m.def("read_cells", [](const nb::list& values) {
    std::vector<double> cells = read_cells(values);
    const std::size_t count = cells.size();
    return array_of(std::move(cells), {count});
  });
}

}  // namespace jme::python
