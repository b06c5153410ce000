#include <algorithm>

#include <jme/base/field.hpp>

namespace jme {

std::string Field::allowed() const {
  if (!rule.empty()) return rule;
  if (type == Type::text && !words.empty()) {
    std::string text = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 < words.size() ? ", " : " or ") + words[i];
    return text;
  }
  switch (type) {
    case Type::real:
      return "a finite number above 0";
    case Type::count:
      return "a whole number of at least 1";
    case Type::list:
      return "a list of names";
    case Type::ranges:
      return "an object of [low, high] by column";
    case Type::flag:
      return "true or false";
    case Type::text:
      break;
  }
  return "text";
}

std::string Field::flag() const {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return "--" + dashed;
}

}  // namespace jme
