#include <jme/base/errors.hpp>
#include <jme/base/geometry.hpp>

namespace jme {

Geometry parse_geometry(std::string_view text) {
  if (text == "auto") return Geometry::automatic;
  if (text == "ball") return Geometry::ball;
  if (text == "box") return Geometry::box;
  if (text == "ball-trace") return Geometry::ball_trace;
  throw InvalidParameter("geometry", text, "auto, ball, ball-trace or box");
}

std::string_view name(Geometry geometry) {
  switch (geometry) {
    case Geometry::automatic:
      return "auto";
    case Geometry::ball:
      return "ball";
    case Geometry::box:
      return "box";
    case Geometry::ball_trace:
      return "ball-trace";
  }
  return "";
}

}  // namespace jme
