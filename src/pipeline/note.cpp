#include <jme/pipeline/note.hpp>

namespace jme {

std::string_view name(Note::Kind kind) {
  switch (kind) {
    case Note::Kind::bad_rows:
      return "bad_rows";
    case Note::Kind::unread_rows:
      return "unread_rows";
    case Note::Kind::nobodys_rows:
      return "nobodys_rows";
    case Note::Kind::rows_over_limit:
      return "rows_over_limit";
    case Note::Kind::filled_rows:
      return "filled_rows";
    case Note::Kind::absent_rows:
      return "absent_rows";
    case Note::Kind::filled_cells:
      return "filled_cells";
    case Note::Kind::absent_cells:
      return "absent_cells";
    case Note::Kind::clamped_low:
      return "clamped_low";
    case Note::Kind::clamped_high:
      return "clamped_high";
    case Note::Kind::rows_outside:
      return "rows_outside";
  }
  return "";
}

bool is_about_clamping(Note::Kind kind) {
  return kind == Note::Kind::clamped_low || kind == Note::Kind::clamped_high;
}

}  // namespace jme
