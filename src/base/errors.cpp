#include <algorithm>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme {

namespace {

std::string with_underscores(std::string_view name) {
  std::string field(name);
  std::replace_if(
      field.begin(), field.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return field;
}

}  // namespace

InvalidParameter::InvalidParameter(std::string_view name, double value, std::string_view allowed)
    : Error(fmt::format("{} = {}: must be {}", name, value, allowed)), field_(with_underscores(name)) {}

InvalidParameter::InvalidParameter(std::string_view name, std::string_view value, std::string_view allowed)
    : Error(fmt::format("{} = {}: must be {}", name, value, allowed)), field_(with_underscores(name)) {}

InvalidParameter::InvalidParameter(std::string_view name, std::string_view explanation)
    : Error(fmt::format("{}: {}", name, explanation)), field_(with_underscores(name)) {}

std::string Remedy::words() const {
  std::string text = field;
  std::replace(text.begin(), text.end(), '_', '-');
  return value.empty() ? text : text + " " + value;
}

}  // namespace jme
