#include "bindings/collector.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "bindings/arrays.hpp"
#include "bindings/buffers.hpp"

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
std::string fault_of(nb::handle row) {
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
    if (read_row(nb::make_tuple(item), number)) continue;
    return is_text(item)
               ? fmt::format(
                     ", value {}: is text, which is not taken for a number; convert it if it should be",
                     place)
               : fmt::format(", value {}: a number was expected, not {}", place, type_of(item));
  }
  return ": has no numbers";
}

/// Rows that come one after another, until all of them are there.
class RowCollector {
 public:
  void add(nb::handle row) {
    if (!read_row(row, row_) && !read_sequence(row)) {
      throw nb::type_error(fmt::format("row {}{}", rows_ + 1, fault_of(row)).c_str());
    }
    if (rows_ > 0 && row_.size() != width_) {
      throw DataError(
          fmt::format("row {}: has {} values, the rows before have {}", rows_ + 1, row_.size(), width_),
          rows_ + 1);
    }
    width_ = row_.size();
    numbers_.insert(numbers_.end(), row_.begin(), row_.end());
    ++rows_;
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
    return read_row(items, row_);
  }

  std::vector<double> numbers_, row_;
  std::size_t rows_ = 0, width_ = 0;
};

}  // namespace

void bind_collector(nb::module_& m) {
  nb::class_<RowCollector>(m, "RowCollector")
      .def(nb::init<>())
      .def("add", &RowCollector::add)
      .def("__len__", &RowCollector::size)
      .def("array", &RowCollector::array);
}

}  // namespace jme::python
