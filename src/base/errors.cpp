#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme {

InvalidParameter::InvalidParameter(std::string_view name, double value, std::string_view allowed)
    : Error(fmt::format("{} = {}: must be {}", name, value, allowed)) {}

InvalidParameter::InvalidParameter(std::string_view name, std::string_view value, std::string_view allowed)
    : Error(fmt::format("{} = {}: must be {}", name, value, allowed)) {}

InvalidParameter::InvalidParameter(std::string_view name, std::string_view explanation)
    : Error(fmt::format("{}: {}", name, explanation)) {}

}  // namespace jme
