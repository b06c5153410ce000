#include "flag_checks.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace jme::train {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, failure] = std::from_chars(text.data(), end, value);
            const bool good = failure == std::errc() && stop == end && value >= least && value <= most;
            return good ? "" : fmt::format("'{}' must be a whole number from {} to {}", text, least, most);
          },
          "", "whole number"};
}

CLI::Validator number() {
  return {[](std::string& text) {
            double value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, failure] = std::from_chars(text.data(), end, value);
            const bool good = failure == std::errc() && stop == end && std::isfinite(value);
            return good ? "" : fmt::format("'{}' must be a finite number", text);
          },
          "", "number"};
}

}  // namespace jme::train
