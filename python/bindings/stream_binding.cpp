#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/stream.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

/// (kind, count, rows, column or None) of what was changed on the way in.
nb::list notes_of(const Stream& stream) {
  nb::list result;
  for (const Note& note : stream.notes()) {
    const char* kind = note.kind == Note::Kind::bad_rows      ? "bad_rows"
                       : note.kind == Note::Kind::filled_rows ? "filled_rows"
                                                              : "filled_cells";
    nb::object column = nb::none();
    if (note.column) column = nb::cast(stream.columns()[*note.column]);
    result.append(nb::make_tuple(kind, note.count, note.rows, column));
  }
  return result;
}

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Stream>(m, "Stream", nb::is_weak_referenceable())
      .def(nb::init<const std::string&, const nb::dict&>(), nb::arg("settings"), nb::arg("matrices"))
      .def("push", &Stream::push, nb::arg("rows"))
      .def("finish", &Stream::finish)
      .def("commit", &Stream::commit)
      .def("releases", &Stream::releases)
      .def("close", &Stream::close)
      .def("_places", &Stream::places, nb::arg("names").none(), nb::arg("width"))
      .def("_check_room", &Stream::check_room)
      .def("_check_columns", &Stream::check_columns)
      .def("_take_columns", &Stream::take_columns)
      .def("_push_arrow", &Stream::push_arrow)
      .def("_page", &Stream::page)
      .def("_charts", &Stream::charts)
      .def("_metadata", &Stream::metadata)
      .def("_plan", &Stream::plan)
      .def("_notes", &notes_of)
      .def("_left", [](const Stream& s) { return s.run().mechanism().horizon().rows() - s.rows(); })
      .def_prop_ro("_is_open", &Stream::is_open)
      .def_prop_ro("dimension", &Stream::dimension)
      .def_prop_ro("rows", &Stream::rows)
      .def_prop_ro("committed_rows", &Stream::committed_rows)
      .def_prop_ro("is_durable", &Stream::is_durable)
      .def_prop_ro("is_finished", &Stream::is_finished)
      .def_prop_ro("columns", &Stream::columns)
      .def_prop_ro("newest", &Stream::newest)
      .def_prop_ro("statement", &Stream::statement);
}

}  // namespace jme::python
