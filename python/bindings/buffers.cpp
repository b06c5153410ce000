#include "bindings/buffers.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

namespace nb = nanobind;

namespace jme::python {

namespace {

static_assert(std::endian::native == std::endian::little);

std::optional<Cell> signed_of(std::size_t size) {
  switch (size) {
    case 1:
      return Cell::i8;
    case 2:
      return Cell::i16;
    case 4:
      return Cell::i32;
    case 8:
      return Cell::i64;
    default:
      return std::nullopt;
  }
}

std::optional<Cell> unsigned_of(std::size_t size) {
  switch (size) {
    case 1:
      return Cell::u8;
    case 2:
      return Cell::u16;
    case 4:
      return Cell::u32;
    case 8:
      return Cell::u64;
    default:
      return std::nullopt;
  }
}

/// The type of one item by the letters of the struct module, in this machine's order of bytes.
std::optional<Cell> cell_of(const Py_buffer& buffer) {
  std::string_view format = buffer.format == nullptr ? "B" : buffer.format;
  if (format.starts_with('<') || format.starts_with('=') || format.starts_with('@')) format.remove_prefix(1);
  if (format.size() != 1) return std::nullopt;
  const auto size = static_cast<std::size_t>(buffer.itemsize);
  switch (format[0]) {
    case 'd':
      return Cell::f64;
    case 'f':
      return Cell::f32;
    case 'e':
      return Cell::f16;
    case '?':
      return Cell::byte;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return signed_of(size);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return unsigned_of(size);
    default:
      return std::nullopt;
  }
}

/// Whether rows can be read where they are: aligned doubles, strides in whole numbers.
bool is_matrix(const Py_buffer& buffer, Cell cell, std::span<const std::size_t> places) {
  if (cell != Cell::f64 || reinterpret_cast<std::uintptr_t>(buffer.buf) % sizeof(double) != 0) return false;
  if (buffer.strides[0] % 8 != 0 || buffer.strides[1] % 8 != 0) return false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != places[0] + i) return false;
  }
  return true;
}

bool is_text(PyObject* item) {
  return PyUnicode_Check(item) != 0 || PyBytes_Check(item) != 0;
}

/// Whether it is not one value but some: a list, an array with a dimension, a table.
bool holds_values(PyObject* item) {
  const PySequenceMethods* const sequence = Py_TYPE(item)->tp_as_sequence;
  const PyMappingMethods* const mapping = Py_TYPE(item)->tp_as_mapping;
  if ((sequence == nullptr || sequence->sq_length == nullptr) &&
      (mapping == nullptr || mapping->mp_length == nullptr)) {
    return false;
  }
  if (PyObject_Size(item) >= 0) return true;
  PyErr_Clear();  // an array without dimensions
  return false;
}

/// A number as Python has it. False where it is none.
bool read_number(PyObject* item, double& number) {
  if (PyFloat_Check(item)) {
    number = PyFloat_AS_DOUBLE(item);
    return true;
  }
  if (item == Py_None) {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  PyNumberMethods* methods = Py_TYPE(item)->tp_as_number;
  if (methods == nullptr || (methods->nb_float == nullptr && methods->nb_index == nullptr)) return false;
  // These can become a float as well, but are not a number of a column.
  const std::string_view type = Py_TYPE(item)->tp_name;
  for (const char* other : {"numpy.ndarray", "numpy.complex", "numpy.timedelta", "numpy.datetime"}) {
    if (type.starts_with(other)) return false;
  }
  if (holds_values(item)) return false;
  number = PyFloat_AsDouble(item);
  if (number != -1.0 || PyErr_Occurred() == nullptr) return true;
  const bool is_too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  PyErr_Clear();
  number = std::numeric_limits<double>::infinity();  // a whole number beyond all doubles is a bad cell
  return is_too_large;
}

constexpr double bad_cell = std::numeric_limits<double>::infinity();

bool read_items(PyObject* const* items, std::size_t count, std::vector<double>& row, NoNumber rule) {
  if (count == 0) return false;
  row.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (read_number(items[i], row[i])) continue;
    if (rule == NoNumber::refuse || (holds_values(items[i]) && !is_text(items[i]))) return false;
    row[i] = bad_cell;
  }
  return true;
}

}  // namespace

HeldBuffers::~HeldBuffers() {
  for (Py_buffer& buffer : buffers_) PyBuffer_Release(&buffer);
}

const Py_buffer& HeldBuffers::hold(nb::handle object) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0)
    throw nb::python_error();
  return buffers_.emplace_back(buffer);
}

std::optional<Table> table_of(const Py_buffer& buffer, std::span<const std::size_t> places) {
  const std::optional<Cell> cell = cell_of(buffer);
  if (!cell || buffer.ndim != 2) return std::nullopt;
  Table table{.rows = static_cast<std::size_t>(buffer.shape[0])};
  const auto* data = static_cast<const std::byte*>(buffer.buf);
  if (is_matrix(buffer, *cell, places)) {
    table.matrix = {.data = static_cast<const double*>(buffer.buf),
                    .rows = table.rows,
                    .columns = places.size(),
                    .row_stride = buffer.strides[0] / 8,
                    .column_stride = buffer.strides[1] / 8};
    if (!places.empty())
      table.matrix.data += static_cast<std::ptrdiff_t>(places[0]) * table.matrix.column_stride;
    return table;
  }
  for (const std::size_t place : places) {
    table.columns.push_back({.cell = *cell,
                             .data = data + static_cast<std::ptrdiff_t>(place) * buffer.strides[1],
                             .stride = buffer.strides[0]});
  }
  return table;
}

Table table_of_columns(const nb::list& columns, HeldBuffers& held) {
  Table table;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    nb::object values = columns[i], mask = nb::none();
    if (nb::isinstance<nb::tuple>(values)) {
      mask = values[1];
      values = nb::object(values[0]);
    }
    const Py_buffer& buffer = held.hold(values);
    const std::optional<Cell> cell = cell_of(buffer);
    if (!cell || buffer.ndim != 1) throw nb::type_error("a column of numbers was expected");
    const auto rows = static_cast<std::size_t>(buffer.shape[0]);
    if (i > 0 && rows != table.rows) throw nb::value_error("columns must have the same length");
    table.rows = rows;
    Column column{
        .cell = *cell, .data = static_cast<const std::byte*>(buffer.buf), .stride = buffer.strides[0]};
    if (!mask.is_none()) {
      const Py_buffer& holes = held.hold(mask);
      if (holes.ndim != 1 || holes.itemsize != 1 || static_cast<std::size_t>(holes.shape[0]) != rows) {
        throw nb::value_error("a mask must have one byte for each cell");
      }
      column.mask = static_cast<const std::uint8_t*>(holes.buf);
      column.mask_stride = holes.strides[0];
    }
    table.columns.push_back(column);
  }
  return table;
}

bool read_row(nb::handle object, std::vector<double>& row, NoNumber rule) {
  PyObject* const item = object.ptr();
  if (PyTuple_CheckExact(item) != 0) {
    return read_items(reinterpret_cast<PyTupleObject*>(item)->ob_item,
                      static_cast<std::size_t>(PyTuple_GET_SIZE(item)), row, rule);
  }
  if (PyList_CheckExact(item) != 0) {
    return read_items(reinterpret_cast<PyListObject*>(item)->ob_item,
                      static_cast<std::size_t>(PyList_GET_SIZE(item)), row, rule);
  }
  if (!is_numpy_array(object) && PyMemoryView_Check(item) == 0) return false;
  Py_buffer buffer;
  if (PyObject_GetBuffer(item, &buffer, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const std::optional<Cell> cell = buffer.ndim == 1 ? cell_of(buffer) : std::nullopt;
  if (cell) {
    row.resize(static_cast<std::size_t>(buffer.shape[0]));
    Column{.cell = *cell, .data = static_cast<const std::byte*>(buffer.buf), .stride = buffer.strides[0]}
        .read(0, row.size(), row.data());
  }
  PyBuffer_Release(&buffer);
  return cell.has_value();
}

std::vector<double> read_cells(const nb::list& values) {
  std::vector<double> cells(values.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // The list is the caller's own: no cell's __float__ can change it.
    if (!read_number(PyList_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i)), cells[i]))
      cells[i] = bad_cell;
  }
  return cells;
}

bool is_numpy_array(nb::handle object) {
  // Types are never destroyed before the interpreter ends.
  static PyTypeObject* array = nullptr;
  if (array == nullptr) {
    PyObject* const numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
    if (numpy == nullptr) return false;
    PyObject* const type = PyObject_GetAttrString(numpy, "ndarray");
    if (type == nullptr || PyType_Check(type) == 0) {
      PyErr_Clear();
      Py_XDECREF(type);
      return false;
    }
    array = reinterpret_cast<PyTypeObject*>(type);
  }
  return Py_TYPE(object.ptr()) == array;
}

}  // namespace jme::python
