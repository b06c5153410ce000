#include "report/number_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace jme::report {

namespace {

constexpr const char* minus = "−";
constexpr const char* nothing = "–";
constexpr int most_decimals = 12;

std::string superscript(int number) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = number < 0 ? "⁻" : "";
  for (const char c : fmt::format("{}", std::abs(number))) result += digits[c - '0'];
  return result;
}

/// Commas between thousands, where there are at least five figures; "1234" is easier to read than "1,234" on
/// an axis.
std::string grouped(const std::string& figures) {
  const std::size_t whole = std::min(figures.find('.'), figures.size());
  if (whole < 5) return figures;
  std::string result;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) result += ',';
    result += figures[i];
  }
  return result + figures.substr(whole);
}

/// Decimal exponent of the value as it will be printed: 9.996 with three digits is 10.0.
int exponent_of(double magnitude, int digits) {
  const std::string printed = fmt::format("{:.{}e}", magnitude, digits - 1);
  return std::stoi(printed.substr(printed.find('e') + 1));
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  if (!std::isfinite(value)) return nothing;
  const std::string figures = fmt::format("{:.{}f}", std::abs(value), std::clamp(decimals, 0, most_decimals));
  const bool is_zero = figures.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? minus : "") + grouped(figures);
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return nothing;
  if (value == 0) return "0";
  const double magnitude = std::abs(value);
  const int exponent = exponent_of(magnitude, digits);
  if (exponent >= -4 && exponent < 6) return fixed_text(value, std::max(0, digits - 1 - exponent));
  const std::string printed = fmt::format("{:.{}e}", magnitude, digits - 1);
  return (value < 0 ? minus : "") + printed.substr(0, printed.find('e')) + "×10" + superscript(exponent);
}

std::string plain_text(double value) {
  if (!std::isfinite(value)) return nothing;
  const std::string printed = fmt::format("{:.10g}", value);
  const std::size_t power = printed.find('e');
  const bool negative = printed[0] == '-';
  const std::size_t begin = negative ? 1 : 0;
  if (power == std::string::npos) return (negative ? minus : "") + grouped(printed.substr(begin));
  const std::string mantissa = printed.substr(begin, power - begin);
  const std::string ten = "10" + superscript(std::stoi(printed.substr(power + 1)));
  return (negative ? minus : "") + (mantissa == "1" ? ten : mantissa + "×" + ten);
}

std::string count_text(std::size_t count) {
  return grouped(fmt::format("{}", count));
}

std::string plus_minus_text(double value, double half_width) {
  if (!std::isfinite(value) || !std::isfinite(half_width)) return nothing;
  if (half_width <= 0) return plain_text(value);
  const std::string joint = " ± ";
  const int exponent = exponent_of(half_width, 2);
  const double largest = std::max(std::abs(value), half_width);
  if (largest < 1e7 && exponent >= -6) {
    const int decimals = std::max(0, 1 - exponent);
    return fixed_text(value, decimals) + joint + fixed_text(half_width, decimals);
  }
  // A common power of ten, that of the larger number.
  const int common = exponent_of(largest, 4);
  const double scale = std::pow(10.0, common);
  const int decimals = std::clamp(common + 1 - exponent, 1, most_decimals);
  return "(" + fixed_text(value / scale, decimals) + joint + fixed_text(half_width / scale, decimals) +
         ")×10" + superscript(common);
}

std::string power_of_ten_text(int exponent) {
  if (exponent < -3 || exponent > 5) return "10" + superscript(exponent);
  return fixed_text(std::pow(10.0, exponent), std::max(0, -exponent));
}

}  // namespace jme::report
