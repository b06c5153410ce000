#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/quoted_part.hpp>

namespace jme {

double parse_real(std::string_view name, std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw InvalidParameter(name, text, "a number that double precision can hold");
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw InvalidParameter(name, text, "a number, such as 0.5 or 1e-6");
  }
  return value;
}

double parse_positive(std::string_view name, std::string_view text) {
  const double value = parse_real(name, text);
  if (!(value > 0) || !std::isfinite(value)) throw InvalidParameter(name, text, "a finite number above 0");
  return value;
}

std::size_t parse_count(std::string_view name, std::string_view text, std::size_t minimum) {
  const std::string rule = fmt::format("a whole number of at least {} (and at most 2^53)", minimum);
  std::uint64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) {
    // Scientific notation, where it is exact: below 2^53 every whole double is the number that was written.
    double real = 0;
    const auto [real_end, real_error] =
        std::from_chars(text.data(), last, real, std::chars_format::scientific);
    if (real_error != std::errc() || real_end != last || !(real >= 0 && real < 0x1p53) ||
        real != std::floor(real)) {
      throw InvalidParameter(name, text, rule);
    }
    value = static_cast<std::uint64_t>(real);
  }
  if (value < minimum || value > (std::uint64_t{1} << 53)) throw InvalidParameter(name, text, rule);
  return value;
}

std::vector<std::string> parse_list(std::string_view name, std::string_view text) {
  constexpr const char* rule = "a list such as a,b,c without empty entries";
  std::vector<std::string> parts;
  for (std::string_view rest = text;; rest.remove_prefix(1)) {
    std::optional<std::string> part = take_part(rest, ",");
    if (!part || part->empty()) throw InvalidParameter(name, text, rule);
    if (std::find(parts.begin(), parts.end(), *part) != parts.end()) {
      throw InvalidParameter(name, text, fmt::format("a list without repetition ('{}' occurs twice)", *part));
    }
    parts.push_back(std::move(*part));
    if (rest.empty()) return parts;
  }
}

}  // namespace jme
