#include "report/number_text.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace jme::report {
namespace {

TEST(NumberText, ShowsThreeFiguresOrTheWholePart) {
  EXPECT_EQ(number_text(0.0123456), "0.0123");
  EXPECT_EQ(number_text(79.8123), "79.8");
  EXPECT_EQ(number_text(-79.8123), "−79.8");
  EXPECT_EQ(number_text(9.996), "10.0");
  EXPECT_EQ(number_text(1234.5), "1234");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(number_text(999999.9), "1.00×10⁶");
  EXPECT_EQ(number_text(1.234e9), "1.23×10⁹");
  EXPECT_EQ(number_text(-1.5e-7), "−1.50×10⁻⁷");
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(-0.0), "0");
}

TEST(NumberText, HasASignForNothing) {
  EXPECT_EQ(number_text(std::nan("")), "–");
  EXPECT_EQ(number_text(INFINITY), "–");
  EXPECT_EQ(plus_minus_text(1, std::nan("")), "–");
}

TEST(FixedText, HasNoNegativeZero) {
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_text(-1234567.25, 2), "−1,234,567.25");
}

TEST(PlainText, HasNoZerosToSpare) {
  EXPECT_EQ(plain_text(10), "10");
  EXPECT_EQ(plain_text(-20.5), "−20.5");
  EXPECT_EQ(plain_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(plain_text(10000), "10,000");
  EXPECT_EQ(plain_text(1e-6), "10⁻⁶");
  EXPECT_EQ(plain_text(-2.5e-9), "−2.5×10⁻⁹");
  EXPECT_EQ(plain_text(INFINITY), "–");
}

TEST(CountText, GroupsFromTenThousand) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(1000), "1000");
  EXPECT_EQ(count_text(420768), "420,768");
  EXPECT_EQ(count_text(std::numeric_limits<std::size_t>::max()), "18,446,744,073,709,551,615");
}

TEST(PlusMinusText, RoundsBothToTheSecondFigureOfTheUncertainty) {
  EXPECT_EQ(plus_minus_text(79.8213, 0.8731), "79.82 ± 0.87");
  EXPECT_EQ(plus_minus_text(-3.14159, 0.0999), "−3.14 ± 0.10");
  EXPECT_EQ(plus_minus_text(12345.6, 123), "12,346 ± 123");
  EXPECT_EQ(plus_minus_text(5, 0), "5");
  EXPECT_EQ(plus_minus_text(1.25e9, 2.5e7), "(1.250 ± 0.025)×10⁹");
  EXPECT_EQ(plus_minus_text(3e-9, 1.2e-9), "(3.0 ± 1.2)×10⁻⁹");
}

TEST(PowerOfTenText, IsPlainNearOne) {
  EXPECT_EQ(power_of_ten_text(-3), "0.001");
  EXPECT_EQ(power_of_ten_text(0), "1");
  EXPECT_EQ(power_of_ten_text(4), "10,000");
  EXPECT_EQ(power_of_ten_text(5), "100,000");
  EXPECT_EQ(power_of_ten_text(6), "10⁶");
  EXPECT_EQ(power_of_ten_text(-12), "10⁻¹²");
}

}  // namespace
}  // namespace jme::report
