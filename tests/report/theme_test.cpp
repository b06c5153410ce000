#include "report/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace jme::report {
namespace {

using Linear = std::array<double, 3>;
using Matrix = std::array<Linear, 3>;

Linear linear(const std::string& hex) {
  Linear result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    result[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  return result;
}

/// Contrast ratio of WCAG 2.1.
double contrast(const std::string& a, const std::string& b) {
  const auto luminance = [](const Linear& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
  const double first = luminance(linear(a)), second = luminance(linear(b));
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

Linear seen_by(const Matrix& m, const Linear& c) {
  Linear result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = m[i][0] * c[0] + m[i][1] * c[1] + m[i][2] * c[2];
  return result;
}

/// OKLab (Ottosson 2020): distances in it are near those people see; 0.02 is about the least visible.
Linear oklab(Linear c) {
  for (double& v : c) v = std::clamp(v, 0.0, 1.0);
  const Matrix to_lms{{{0.4122214708, 0.5363325363, 0.0514459929},
                       {0.2119034982, 0.6806995451, 0.1073969566},
                       {0.0883024619, 0.2817188376, 0.6299787005}}};
  const Matrix to_lab{{{0.2104542553, 0.7936177850, -0.0040720468},
                       {1.9779984951, -2.4285922050, 0.4505937099},
                       {0.0259040371, 0.7827717662, -0.8086757660}}};
  Linear lms = seen_by(to_lms, c);
  for (double& v : lms) v = std::cbrt(v);
  return seen_by(to_lab, lms);
}

double difference(const Linear& a, const Linear& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Full colour blindness of each kind in linear light: Machado, Oliveira, Fernandes 2009, table 1,
/// severity 1.
const std::array<Matrix, 4> eyes{
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

const Colour& role(const std::string& name) {
  return *std::find_if(colours().begin(), colours().end(), [&](const Colour& c) { return c.role == name; });
}

/// On the light page and on the dark one.
void on_both(const std::string& a, const std::string& b, double least) {
  EXPECT_GE(contrast(role(a).light, role(b).light), least) << a << " on " << b;
  EXPECT_GE(contrast(role(a).dark, role(b).dark), least) << a << " on " << b;
}

TEST(Theme, TextIsReadableOnItsBackground) {
  // 4.5 is what WCAG 2.1 asks of text, 3 of lines that carry meaning.
  for (const char* words : {"ink", "soft", "link", "alarm", "t0", "t1", "t2", "t3", "t4", "t5"}) {
    on_both(words, "paper", 4.5);
  }
  for (const char* words : {"ink", "soft", "link"}) on_both(words, "panel", 4.5);
  on_both("alarm", "alarm-panel", 4.5);
  for (std::size_t i = 0; i < series_colours; ++i) on_both("s" + std::to_string(i), "paper", 3);
  on_both("axis", "paper", 3);
  for (std::size_t i = 0; i < diverging_levels; ++i)
    on_both("e" + std::to_string(i), "d" + std::to_string(i), 4.5);
  for (std::size_t i = 0; i < sequential_levels; ++i)
    on_both("r" + std::to_string(i), "q" + std::to_string(i), 4.5);
}

TEST(Theme, SeriesAreToldApartByEveryKindOfEye) {
  // Okabe and Ito's palette, the usual recommendation, reaches 0.076 in this measure for its first six.
  for (std::size_t i = 0; i < series_colours; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Colour &a = role("s" + std::to_string(i)), &b = role("s" + std::to_string(j));
      for (const Matrix& eye : eyes) {
        EXPECT_GE(difference(oklab(seen_by(eye, linear(a.light))), oklab(seen_by(eye, linear(b.light)))),
                  0.085)
            << a.role << " and " << b.role << " on a light page";
        EXPECT_GE(difference(oklab(seen_by(eye, linear(a.dark))), oklab(seen_by(eye, linear(b.dark)))), 0.085)
            << a.role << " and " << b.role << " on a dark page";
      }
    }
  }
}

TEST(Theme, HeatScalesRunOneWayFromTheirNeutralEnd) {
  const auto colour = [](char scale, std::size_t i, bool dark) {
    const Colour& c = role(scale + std::to_string(i));
    return linear(dark ? c.dark : c.light);
  };
  for (const bool dark : {false, true}) {
    const std::size_t middle = diverging_levels / 2;
    for (const Matrix& eye : eyes) {
      const auto from_middle = [&](std::size_t i) {
        return difference(oklab(seen_by(eye, colour('d', i, dark))),
                          oklab(seen_by(eye, colour('d', middle, dark))));
      };
      for (std::size_t k = 1; k <= middle; ++k) {
        EXPECT_GT(from_middle(middle + k), from_middle(middle + k - 1)) << k;
        EXPECT_GT(from_middle(middle - k), from_middle(middle - k + 1)) << k;
        // Plus and minus are told apart from the first step on, and at the ends by eight times the least
        // visible difference.
        EXPECT_GT(difference(oklab(seen_by(eye, colour('d', middle + k, dark))),
                             oklab(seen_by(eye, colour('d', middle - k, dark)))),
                  0.016 * static_cast<double>(k))
            << k;
      }
      for (std::size_t i = 1; i < sequential_levels; ++i) {
        EXPECT_GT(
            difference(oklab(seen_by(eye, colour('q', i, dark))), oklab(seen_by(eye, colour('q', 0, dark)))),
            difference(oklab(seen_by(eye, colour('q', i - 1, dark))),
                       oklab(seen_by(eye, colour('q', 0, dark)))));
      }
    }
  }
}

TEST(DrawingStyles, HoldWhatIsUsedWithoutVariables) {
  const std::string styles = drawing_styles({"s0", "line", "ink"});
  EXPECT_NE(styles.find(".s0{stroke:"), std::string::npos);
  EXPECT_NE(styles.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(styles.find("var("), std::string::npos);
  EXPECT_EQ(styles.find(".s1"), std::string::npos);
}

TEST(ClassesIn, FindsEveryName) {
  EXPECT_EQ(classes_in("<a class=\"x y\"/><b class=\"z\"/><c class=\"\"/>"),
            (std::set<std::string, std::less<>>{"x", "y", "z"}));
}

}  // namespace
}  // namespace jme::report
