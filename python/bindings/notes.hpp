#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <jme/pipeline/note.hpp>

namespace jme::python {

/// (kind, count, rows, column or None) of what was changed on the way in.
///
/// `name_of`: of a column. A stream may have none yet, and then there are no notes that name one.
nanobind::list notes_of(const std::vector<Note>& notes, const auto& name_of) {
  nanobind::list result;
  for (const Note& note : notes) {
    nanobind::object column = nanobind::none();
    if (note.column) column = nanobind::cast(std::string(name_of(*note.column)));
    result.append(nanobind::make_tuple(std::string(name(note.kind)), note.count, note.rows, column));
  }
  return result;
}

}  // namespace jme::python
