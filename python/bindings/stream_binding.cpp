#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/mechanism/weak_budget.hpp>
#include <jme/output/privacy_statement.hpp>

#include "bindings/notes.hpp"
#include "bindings/signatures.hpp"
#include "bindings/stream.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

// What help() says, after the signature as inspect.signature reads it; jme/_core.pyi says the same to editors
// (a test compares them).
constexpr const char* push_doc = R"(push($self, /, rows, *, progress=None)
--

Takes whatever holds rows, and returns the releases that they closed.

All of the rows are taken or, where one cannot be used or lies past the horizon, none, and the error says which.
An array or a table of two dimensions has one row of the stream in each of its rows; a tuple, list or array of
numbers is one row. NaN, None and nulls are missing cells.

A push of more than two seconds shows its progress in an interactive session; True shows it anywhere and from
the beginning, False never. A function is called with the number of rows that were taken and the number that
there are, or with the number that were read and None while an iterable is being read.)";
constexpr const char* finish_doc =
    "finish($self, /)\n--\n\nEnds the stream, and releases what its last block has. No row may follow.";
constexpr const char* commit_doc =
    "commit($self, /)\n--\n\nPuts the releases of all whole blocks of a durable stream on disk now, and "
    "returns them.";
constexpr const char* releases_doc =
    "releases($self, /)\n--\n\nReleases that wait to be fetched: those of a push that was interrupted.";
constexpr const char* close_doc =
    "close($self, /)\n--\n\nCommits and lets go of the state folder. The stream is not ended: another "
    "process can go on with it.";
constexpr const char* rows_doc =
    "Rows taken so far. Of a stream of slots of time, whose number of rows is private: slots released so "
    "far.";
constexpr const char* committed_rows_doc =
    "Rows that need not come again after a crash; None where nothing outlives the process.";
constexpr const char* is_finished_doc = "Whether no row may follow.";
constexpr const char* newest_doc = "The newest release.";
constexpr const char* statement_doc = "The guarantee in plain words.";

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Stream> stream(m, "Stream", nb::is_weak_referenceable());
  stream.def(nb::init<const std::string&, const nb::dict&>(), nb::arg("settings"), nb::arg("matrices"))
      .def("push", &Stream::push, nb::arg("rows").none(), nb::kw_only(), nb::arg("progress") = nb::none())
      .def("finish", &Stream::finish)
      .def("commit", &Stream::commit)
      .def("releases", &Stream::releases)
      .def("close", &Stream::close)
      .def("_places", &Stream::places, nb::arg("names").none(), nb::arg("width"))
      .def("_check_room", &Stream::check_room)
      .def("_check_block_room", &Stream::check_block_room)
      .def("_block_room", &Stream::block_room)
      .def("_check_columns", &Stream::check_columns)
      .def("_take_columns", &Stream::take_columns)
      .def("_push_arrow", &Stream::push_arrow)
      .def("_tell_read", &Stream::tell_read)
      .def("_set_persons", &Stream::set_persons)
      .def_prop_ro("_person", &Stream::person)
      .def("_set_times", &Stream::set_times)
      .def_prop_ro("_time", &Stream::time)
      .def_prop_ro("_time_unit", &Stream::time_unit)
      .def_prop_ro("_zeroes_bad_rows", &Stream::zeroes_bad_rows)
      .def("_page", &Stream::page)
      .def("_charts", &Stream::charts)
      .def("_metadata", &Stream::metadata)
      .def("_plan", &Stream::plan)
      .def("_notes",
           [](const Stream& s) { return notes_of(s.notes(), [&](std::size_t j) { return s.columns()[j]; }); })
      .def("_notes_on_budget", [](const Stream& s) { return notes_on_budget(s.run().mechanism().config()); })
      .def("_left", [](const Stream& s) { return s.run().mechanism().horizon().rows() - s.rows(); })
      .def_prop_ro("_most_charted", [](const Stream&) { return Stream::most_charted_columns; })
      .def_prop_ro("_is_open", &Stream::is_open)
      .def("_limit_of_person", [](const Stream& s) { return limit_of_person(s.run().mechanism().config()); })
      .def_prop_ro("_has_slots", [](const Stream& s) { return s.run().mechanism().horizon().has_slots(); })
      .def_prop_ro("dimension", &Stream::dimension)
      .def_prop_ro("rows", &Stream::rows, rows_doc)
      .def_prop_ro("committed_rows", &Stream::committed_rows, committed_rows_doc)
      .def_prop_ro("is_durable", &Stream::is_durable)
      .def_prop_ro("is_finished", &Stream::is_finished, is_finished_doc)
      .def_prop_ro("columns", &Stream::columns)
      .def_prop_ro("newest", &Stream::newest, newest_doc)
      .def_prop_ro("statement", &Stream::statement, statement_doc);
  give_signature<0>(stream, "push", push_doc);
  give_signature<1>(stream, "finish", finish_doc);
  give_signature<2>(stream, "commit", commit_doc);
  give_signature<3>(stream, "releases", releases_doc);
  give_signature<4>(stream, "close", close_doc);
}

}  // namespace jme::python
