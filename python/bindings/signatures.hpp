#pragma once

#include <cstddef>

#include <nanobind/nanobind.h>

namespace jme::python {

/// Replaces method number `Slot` of a class by one that inspect.signature can read, and that forwards every
/// call to it. `text`: "name($self, /, ...)\n--\n\n" and the documentation, which must outlive the module.
/// A wrapper in Python would double the time of a push of one row.
template <std::size_t Slot>
void give_signature(nanobind::handle type, const char* name, const char* text) {
  static PyObject* forwarded = nullptr;  // as long as the interpreter
  static PyMethodDef definition{};
  forwarded = nanobind::object(type.attr(name)).release().ptr();
  // self, and what the widest of these methods takes
  static constexpr Py_ssize_t most_arguments = 4;
  constexpr auto forward = [](PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) -> PyObject* {
    const Py_ssize_t all = count + (keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords));
    if (all >= most_arguments) {
      PyErr_SetString(PyExc_TypeError, "more arguments were given than there are; see help()");
      return nullptr;
    }
    PyObject* given[most_arguments] = {self};
    for (Py_ssize_t i = 0; i < all; ++i) given[i + 1] = arguments[i];
    return PyObject_Vectorcall(forwarded, given, static_cast<std::size_t>(count) + 1, keywords);
  };
  constexpr PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) = forward;
  definition = {.ml_name = name,
                .ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
                .ml_flags = METH_FASTCALL | METH_KEYWORDS,
                .ml_doc = text};
  PyObject* const method = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &definition);
  if (method == nullptr) throw nanobind::python_error();
  type.attr(name) = nanobind::steal(method);
}

}  // namespace jme::python
