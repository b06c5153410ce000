#include <jme/base/adjacency.hpp>
#include <jme/base/errors.hpp>

namespace jme {

Adjacency parse_adjacency(std::string_view text) {
  if (text == "replace-one") return Adjacency::replace_one;
  if (text == "add-remove") return Adjacency::add_remove;
  throw InvalidParameter("adjacency", text, "replace-one or add-remove");
}

std::string_view name(Adjacency adjacency) {
  return adjacency == Adjacency::replace_one ? "replace-one" : "add-remove";
}

}  // namespace jme
