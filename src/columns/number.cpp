#include "columns/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace jme {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "the fast path needs products rounded once, to double");

// The powers of ten that a double holds exactly: 5^22 < 2^53 < 5^23.
constexpr int largest_exact_power = 22;
constexpr std::array<double, largest_exact_power + 1> powers_of_ten = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t largest_exact_mantissa = std::uint64_t{1} << 53;
constexpr std::ptrdiff_t digits_in_64_bits = 19;
// Beyond any exponent that matters, even beside 64 MiB of digits, and far from overflow.
constexpr std::int64_t exponent_ceiling = 1'000'000'000'000;

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

CellStatus name_of_text(std::string_view unsigned_text) {
  for (const std::string_view name : {"nan", "inf", "infinity"})
    if (equals_ignoring_case(unsigned_text, name)) return CellStatus::not_finite;
  return CellStatus::text;
}

constexpr std::size_t word_size = sizeof(std::uint64_t);
constexpr std::uint64_t in_every_byte = 0x0101010101010101;
constexpr std::uint64_t point_value = '.' ^ '0';

// Eight characters, of which the first is in the lowest byte and a digit is its value.
std::uint64_t digit_values(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, word_size);
  return word ^ ('0' * in_every_byte);
}

// The high bit of every byte that is no digit, exactly: no sum carries into the next byte.
constexpr std::uint64_t others(std::uint64_t word) {
  return (((word & 0x7f * in_every_byte) + (0x80 - 10) * in_every_byte) | word) & 0x80 * in_every_byte;
}

// The number that eight digits are: pairs, then fours, then all.
constexpr std::uint64_t value_of_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);
  return ((word & 0x000000ff000000ff) * (100 + (std::uint64_t{1000000} << 32)) +
          ((word >> 16) & 0x000000ff000000ff) * (1 + (std::uint64_t{10000} << 32))) >>
         32;
}

// Takes out the byte at `index`: those before it move up by one.
constexpr std::uint64_t without_byte(std::uint64_t word, unsigned index) {
  const std::uint64_t below = (std::uint64_t{1} << (8 * index)) - 1;
  return (word & ~(below << 8 | 0xff)) | (word & below) << 8;
}

struct Decimal {
  std::uint64_t mantissa;
  std::size_t fraction;  // how many of its digits are behind the point
};

// Up to eight characters that are digits and at most one point, with at least one digit.
bool read_short(const char* text, std::size_t size, Decimal& decimal) {
  std::uint64_t word = digit_values(text) << (64 - 8 * size);
  decimal.fraction = 0;
  if (const std::uint64_t other = others(word); other != 0) {
    const auto index = static_cast<unsigned>(std::countr_zero(other)) / 8;
    if ((other & (other - 1)) != 0 || (word >> (8 * index) & 0xff) != point_value || size == 1) return false;
    decimal.fraction = 7 - index;
    word = without_byte(word, index);
  }
  decimal.mantissa = value_of_digits(word);
  return true;
}

// Nine to sixteen of them.
bool read_long(const char* text, std::size_t size, Decimal& decimal) {
  std::uint64_t high = digit_values(text) << (64 - 8 * (size - word_size));
  std::uint64_t low = digit_values(text + size - word_size);
  const std::uint64_t in_high = others(high), in_low = others(low);
  decimal.fraction = 0;
  if ((in_high | in_low) != 0) {
    const std::uint64_t other = in_high != 0 ? in_high : in_low;
    if ((in_high != 0 && in_low != 0) || (other & (other - 1)) != 0) return false;
    const auto index = static_cast<unsigned>(std::countr_zero(other)) / 8;
    if (((in_high != 0 ? high : low) >> (8 * index) & 0xff) != point_value) return false;
    decimal.fraction = 7 - index;
    if (in_high != 0) {
      decimal.fraction += word_size;
      high = without_byte(high, index);
    } else {
      low = without_byte(low, index) | high >> 56;
      high <<= 8;
    }
  }
  decimal.mantissa = value_of_digits(high) * 100'000'000 + value_of_digits(low);
  return true;
}

// The digits of a number known to be well formed, for the reader that handles every length.
CellStatus parse_any_length(std::string_view digits, std::int64_t explicit_exponent, double& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) return CellStatus::number;
  // The library says "out of range" for both ends: the place of the first digit tells them apart.
  const auto point = std::min(digits.find_first_of(".eE"), digits.size());
  const auto leading = std::min(digits.find_first_of("123456789"), digits.size());
  const std::int64_t magnitude =
      explicit_exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading);
  if (magnitude > 0) return CellStatus::out_of_range;
  value = 0.0;
  return CellStatus::number;
}

}  // namespace

std::string_view describe(CellStatus status) {
  switch (status) {
    case CellStatus::number:
      return "a number";
    case CellStatus::missing:
      return "missing value";
    case CellStatus::text:
      return "not a number";
    case CellStatus::not_finite:
      return "not a finite number";
    case CellStatus::out_of_range:
      return "number too large for double precision";
  }
  return "";
}

bool is_missing(std::string_view cell) {
  const std::size_t begin = cell.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return true;
  const std::string_view word = cell.substr(begin, cell.find_last_not_of(" \t") + 1 - begin);
  for (const std::string_view name : {"na", "n/a", "nan", "null"})
    if (equals_ignoring_case(word, name)) return true;
  return false;
}

CellStatus parse_number(std::string_view cell, double& value) {
  const char* p = cell.data();
  const char* last = p + cell.size();
  while (p != last && is_blank(*p)) ++p;
  while (p != last && is_blank(last[-1])) --last;
  if (p == last) return CellStatus::missing;

  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const first = p;

  std::uint64_t mantissa = 0;  // wraps beyond 19 digits, and is then not used
  while (p != last && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t digits = p - first;
  std::int64_t exponent = 0;
  if (p != last && *p == '.') {
    const char* const fraction = ++p;
    while (p != last && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    digits += p - fraction;
    exponent = fraction - p;
  }
  if (digits == 0) return name_of_text({first, static_cast<std::size_t>(last - first)});

  std::int64_t explicit_exponent = 0;
  if (p != last && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool small = p != last && *p == '-';
    if (p != last && (*p == '-' || *p == '+')) ++p;
    if (p == last) return CellStatus::text;
    for (; p != last && is_digit(*p); ++p)
      explicit_exponent = std::min(explicit_exponent * 10 + (*p - '0'), exponent_ceiling);
    if (small) explicit_exponent = -explicit_exponent;
  }
  if (p != last) return CellStatus::text;
  exponent += explicit_exponent;

  double magnitude = 0.0;
  if (digits <= digits_in_64_bits && mantissa <= largest_exact_mantissa && exponent >= -largest_exact_power &&
      exponent <= largest_exact_power) {
    // Both operands are exact, so the one operation rounds once: the result is the nearest double.
    // Source: Clinger, "How to read floating point numbers accurately", 1990.
    const double exact = static_cast<double>(mantissa);
    magnitude = exponent < 0 ? exact / powers_of_ten[static_cast<std::size_t>(-exponent)]
                             : exact * powers_of_ten[static_cast<std::size_t>(exponent)];
  } else {
    const CellStatus status =
        parse_any_length({first, static_cast<std::size_t>(last - first)}, explicit_exponent, magnitude);
    if (status != CellStatus::number) return status;
  }
  value = negative ? -magnitude : magnitude;
  return CellStatus::number;
}

CellStatus parse_padded_number(std::string_view cell, double& value) {
  if constexpr (std::endian::native != std::endian::little) return parse_number(cell, value);
  if (cell.empty()) return CellStatus::missing;
  // No branch on the sign: it would be guessed wrongly for every second cell of some columns.
  const std::size_t negative = static_cast<std::size_t>(cell.front() == '-');
  const char* const text = cell.data() + negative;
  const std::size_t size = cell.size() - negative;
  Decimal decimal{};
  // With a point there are at most 15 digits, so that one division rounds once, as in parse_number. Without
  // one there may be 16, and their conversion alone rounds.
  const bool is_plain = size - 1 < word_size        ? read_short(text, size, decimal)
                        : size - 1 < number_padding ? read_long(text, size, decimal)
                                                    : false;
  if (!is_plain) return parse_number(cell, value);
  const double magnitude =
      static_cast<double>(static_cast<std::int64_t>(decimal.mantissa)) / powers_of_ten[decimal.fraction];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | std::uint64_t{negative} << 63);
  return CellStatus::number;
}

std::optional<std::size_t> column_number(std::string_view text, std::size_t count) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || number < 1 || number > count) return std::nullopt;
  return number - 1;
}

}  // namespace jme
