#include "bindings/collector.hpp"

#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "bindings/arrays.hpp"
#include "bindings/buffers.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

/// Rows that come one after another, until all of them are there.
class RowCollector {
 public:
  void add(nb::handle row) {
    if (!read_row(row, row_) && !read_sequence(row)) {
      throw nb::type_error(
          fmt::format("row {}: a row of numbers was expected, not {}; text that looks like a number is "
                      "not taken for one",
                      rows_ + 1, Py_TYPE(row.ptr())->tp_name)
              .c_str());
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
    if (PySequence_Check(row.ptr()) == 0 || PyUnicode_Check(row.ptr()) != 0 ||
        PyBytes_Check(row.ptr()) != 0) {
      return false;
    }
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
