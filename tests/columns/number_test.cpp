#include "columns/number.hpp"

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <locale>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

namespace jme {
namespace {

std::optional<double> read(std::string_view text) {
  double value = 0.0;
  return parse_number(text, value) == CellStatus::number ? std::optional(value) : std::nullopt;
}

CellStatus status_of(std::string_view text) {
  double value = 0.0;
  return parse_number(text, value);
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(Number, HasOptionalSignFractionExponentAndBlanksAround) {
  EXPECT_EQ(read("0"), 0.0);
  EXPECT_EQ(read("+1.5"), 1.5);
  EXPECT_EQ(read("-1.5"), -1.5);
  EXPECT_EQ(read(" \t 42 \t"), 42.0);
  EXPECT_EQ(read("5."), 5.0);
  EXPECT_EQ(read(".5"), 0.5);
  EXPECT_EQ(read("-.5e+1"), -5.0);
  EXPECT_EQ(read("1E3"), 1000.0);
  EXPECT_EQ(read("1e-3"), 1e-3);
  EXPECT_EQ(read("000123"), 123.0);
  EXPECT_TRUE(same_bits(*read("-0"), -0.0));
}

TEST(Number, IsMissingWhereNothingIsWritten) {
  for (const auto* text : {"", " ", "\t  "})
    EXPECT_EQ(status_of(text), CellStatus::missing) << '"' << text << '"';
}

TEST(Number, IsNotTextHexadecimalOrHalfWritten) {
  for (const auto* text : {"NA",    "x",  "0x10", "0x1p3",    "1e",  "1e+",   "1e-", "e5",    ".",
                           "+",     "-",  "+-1",  "--1",      "- 1", "1 2",   "1,5", "1_000", "1.2.3",
                           "1e5.5", "1f", "nano", "infinite", "1\r", "\"1\"", "\xb1"})
    EXPECT_EQ(status_of(text), CellStatus::text) << text;
}

TEST(Number, IsFinite) {
  for (const auto* text : {"nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", " infinity "})
    EXPECT_EQ(status_of(text), CellStatus::not_finite) << text;
}

TEST(Number, OverflowIsOutOfRangeAndUnderflowIsZero) {
  const std::vector<std::string> too_large = {"1e999",
                                              "-1e309",
                                              "1.7976931348623159e308",
                                              "1e99999999999999999999",
                                              "0.0001e400",
                                              "1" + std::string(400, '0'),
                                              "1" + std::string(5000, '0') + "e-100"};
  for (const std::string& text : too_large) EXPECT_EQ(status_of(text), CellStatus::out_of_range) << text;
  EXPECT_EQ(read("1e308"), 1e308);
  EXPECT_EQ(read("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(read("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read("-1e-310"), -1e-310);
  // Below half the least subnormal the nearest double is zero, and it keeps its sign.
  EXPECT_TRUE(same_bits(*read("2e-324"), 0.0));
  EXPECT_TRUE(same_bits(*read("-1e-400"), -0.0));
  EXPECT_EQ(read("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(read("0." + std::string(5000, '0') + "1"), 0.0);
  EXPECT_EQ(read("0e99999999999999999999"), 0.0);
  EXPECT_EQ(read("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(read("1" + std::string(400, '0') + "e-400"), 1.0);
}

// The exact comparison in integers: for x = m 2^e and a decimal a 10^b, |a 10^b - x| <= 2^(e-1), equality
// only if m is even.
bool is_nearest(const std::string& digits, int exponent10, double x) {
  using boost::multiprecision::cpp_int;
  int exponent2 = 0;
  const auto m = static_cast<long long>(std::ldexp(std::frexp(x, &exponent2), 53));
  exponent2 -= 53;
  cpp_int left(digits), right(m), half(1);
  right *= 2;  // in units of half a last place
  left *= 2;
  if (exponent10 >= 0) left *= boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent10));
  if (exponent10 < 0) {
    const cpp_int scale = boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(-exponent10));
    right *= scale;
    half *= scale;
  }
  if (exponent2 >= 0) {
    right <<= exponent2;
    half <<= exponent2;
  } else {
    left <<= -exponent2;
  }
  const cpp_int distance = abs(left - right);
  return distance < half || (distance == half && m % 2 == 0);
}

TEST(Number, IsTheNearestDoubleByExactIntegerArithmetic) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const int length = 1 + static_cast<int>(random() % 20);
    std::string digits(1, static_cast<char>('1' + random() % 9));
    while (static_cast<int>(digits.size()) < length) digits.push_back(static_cast<char>('0' + random() % 10));
    const int exponent = static_cast<int>(random() % 61) - 30;
    const std::string text = digits + "e" + std::to_string(exponent);
    ASSERT_TRUE(is_nearest(digits, exponent, read(text).value())) << text;
  }
}

TEST(Number, TiesGoToEven) {
  EXPECT_EQ(read("9007199254740993"), 9007199254740992.0);  // 2^53 + 1
  EXPECT_EQ(read("9007199254740995"), 9007199254740996.0);
  EXPECT_EQ(read("9007199254740993.0000000000000000000000001"), 9007199254740994.0);
  EXPECT_TRUE(is_nearest("9007199254740993", 0, 9007199254740992.0));
  EXPECT_FALSE(is_nearest("9007199254740993", 0, 9007199254740994.0));  // the oracle has power
}

TEST(Number, FastPathAgreesWithTheLibraryOnAMillionDecimals) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t mantissa = random() >> (random() % 64);
    std::string text = std::to_string(mantissa);
    if (random() % 4 != 0) text.insert(random() % (text.size() + 1), ".");
    if (random() % 3 == 0) text += (random() % 2 ? "e" : "E-") + std::to_string(random() % 30);
    double expected = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_TRUE(error == std::errc{} && end == text.data() + text.size()) << text;
    ASSERT_TRUE(same_bits(read(text).value(), expected)) << text;
  }
}

// Whatever stands after the cell, and in its bytes.
TEST(Number, IsReadFromAPaddedCellToTheSameBits) {
  std::mt19937_64 random(4);
  constexpr std::string_view bytes = "0123456789012345678901234567890123456789.-+e ,\x80\xff/:";
  std::size_t numbers = 0;
  for (int i = 0; i < 300'000; ++i) {
    std::string text(40, '5');
    for (char& c : text) c = bytes[random() % (random() % 4 == 0 ? bytes.size() : 41)];
    if (random() % 3 == 0) text.front() = '-';
    const std::string_view cell = std::string_view(text).substr(0, random() % 21);
    double expected = 7.0, value = 7.0;
    const CellStatus status = parse_number(cell, expected);
    ASSERT_EQ(parse_padded_number(cell, value), status) << cell;
    if (status != CellStatus::number) continue;
    ++numbers;
    ASSERT_TRUE(same_bits(value, expected)) << cell;
  }
  EXPECT_GT(numbers, 60'000U);
}

TEST(Number, EveryDoubleSurvivesSeventeenDigits) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t bits = random();
    double x = 0.0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    ASSERT_TRUE(same_bits(read(text).value(), x)) << text;
    ASSERT_EQ(read(text).value(), std::strtod(text, nullptr)) << text;
  }
}

TEST(Number, TenMillionDigitsAreRead) {
  std::string ones(10'000'000, '1');
  EXPECT_EQ(status_of(ones), CellStatus::out_of_range);
  ones.insert(1, ".");
  EXPECT_EQ(read(ones), 1.0 + 1.0 / 9.0);
}

struct DecimalComma : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(Number, DoesNotDependOnTheLocale) {
  const std::string c_locale = std::setlocale(LC_ALL, nullptr);
  for (const auto* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    std::setlocale(LC_ALL, name);  // if installed
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  EXPECT_EQ(read("1234.5"), 1234.5);
  EXPECT_EQ(read("0.12345678901234567"), 0.12345678901234567);
  EXPECT_EQ(status_of("1234,5"), CellStatus::text);
  EXPECT_EQ(status_of("1.234,5"), CellStatus::text);
  std::locale::global(before);
  std::setlocale(LC_ALL, c_locale.c_str());
}

}  // namespace
}  // namespace jme
