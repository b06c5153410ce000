#include <jme/base/errors.hpp>
#include <jme/base/geometry.hpp>

namespace jme {

Geometry parse_geometry(std::string_view text) {
  if (text == "auto") return Geometry::automatic;
  if (text == "ball") return Geometry::ball;
  if (text == "box") return Geometry::box;
  throw InvalidParameter("geometry", text, "auto, ball or box");
}

std::string_view name(Geometry geometry) {
  switch (geometry) {
    case Geometry::automatic:
      return "auto";
    case Geometry::ball:
      return "ball";
    case Geometry::box:
      return "box";
  }
  return "";
}

}  // namespace jme
