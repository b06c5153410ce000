#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <jme/pipeline/note.hpp>

namespace jme::python {

/// (kind, count, rows, column or None) of what was changed on the way in.
inline nanobind::list notes_of(const std::vector<Note>& notes, const std::vector<std::string>& columns) {
  nanobind::list result;
  for (const Note& note : notes) {
    nanobind::object column = nanobind::none();
    if (note.column) column = nanobind::cast(columns[*note.column]);
    result.append(nanobind::make_tuple(std::string(name(note.kind)), note.count, note.rows, column));
  }
  return result;
}

}  // namespace jme::python
