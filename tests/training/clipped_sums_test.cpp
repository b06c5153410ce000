#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>
#include <jme/training/batch_sampler.hpp>
#include <jme/training/clipped_sums.hpp>

namespace jme {
namespace {

// No multiple of a vector's lanes, one longer than what is worked on at a time.
const std::vector<std::size_t> widths = {1, 7, 1501, 34};
constexpr std::size_t all_numbers = 1 + 7 + 1501 + 34;

/// Gradients of some examples, layer by layer.
struct Gradients {
  std::size_t examples;
  std::vector<std::vector<float>> layers{};

  /// Rows of the layers from example `begin` on.
  [[nodiscard]] std::vector<GradientRows> rows(std::size_t begin = 0) const {
    std::vector<GradientRows> result;
    for (std::size_t i = 0; i < layers.size(); ++i)
      result.push_back({.values = layers[i].data() + begin * widths[i], .count = widths[i]});
    return result;
  }
  /// All numbers of one example.
  [[nodiscard]] std::vector<float> example(std::size_t j) const {
    std::vector<float> numbers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto begin = layers[i].begin() + static_cast<std::ptrdiff_t>(j * widths[i]);
      numbers.insert(numbers.end(), begin, begin + static_cast<std::ptrdiff_t>(widths[i]));
    }
    return numbers;
  }
};

template <typename Distribution>
Gradients drawn(std::size_t examples, Distribution distribution) {
  std::mt19937_64 words(7);
  Gradients gradients{.examples = examples};
  for (const std::size_t width : widths) {
    gradients.layers.emplace_back(examples * width);
    for (float& number : gradients.layers.back()) number = static_cast<float>(distribution(words));
  }
  return gradients;
}

struct Sums {
  std::vector<float> gradients = std::vector<float>(all_numbers), squares = std::vector<float>(all_numbers);
  std::int64_t clipped = 0;
  std::vector<bool> kept{};
};

/// `at_a_time` examples per call.
Sums sums_of(const Gradients& gradients, const Clipping& clipping, std::size_t at_a_time = 1000) {
  ClippedSums clipped(clipping, all_numbers, true);
  Sums sums;
  std::vector<bool> kept;
  for (std::size_t begin = 0; begin < gradients.examples; begin += at_a_time) {
    const std::size_t count = std::min(at_a_time, gradients.examples - begin);
    sums.clipped += clipped.add(gradients.rows(begin), count, kept);
    sums.kept.insert(sums.kept.end(), kept.begin(), kept.end());
  }
  clipped.add_to(sums.gradients, sums.squares);
  return sums;
}

class ClippedSumsOfBothRules : public testing::TestWithParam<ClipRule> {};

TEST_P(ClippedSumsOfBothRules, AreFloatProductsAddedInDoubleAndRoundedOnce) {
  // Whole numbers up to 9: sums of their powers are exact in any order.
  const Gradients gradients = drawn(20, std::uniform_int_distribution<int>(-9, 9));
  const Clipping clipping{.rule = GetParam(), .bound = 207, .tau = 0.01};
  std::vector<double> first(all_numbers), second(all_numbers);
  std::int64_t clipped = 0;
  for (std::size_t j = 0; j < gradients.examples; ++j) {
    const std::vector<float> g = gradients.example(j);
    double squares = 0, fourth = 0;
    for (const double x : g) squares += x * x, fourth += x * x * x * x;
    const bool joint = GetParam() == ClipRule::joint;
    const auto factor = static_cast<float>(joint ? joint_clip_factor(squares, fourth, 0.01, 207)
                                                 : clip_factor(std::sqrt(squares), 207));
    if (factor < 1) ++clipped;
    for (std::size_t i = 0; i < all_numbers; ++i) {
      const float product = factor * g[i];
      first[i] += static_cast<double>(product);
      const double whole = static_cast<double>(joint ? g[i] : product);
      second[i] += joint ? static_cast<double>(factor) * (whole * whole) : whole * whole;
    }
  }
  const Sums sums = sums_of(gradients, clipping);
  EXPECT_EQ(sums.clipped, clipped);
  EXPECT_GT(clipped, 0);
  for (std::size_t i = 0; i < all_numbers; ++i) {
    EXPECT_EQ(sums.gradients[i], static_cast<float>(first[i])) << i;
    EXPECT_EQ(sums.squares[i], static_cast<float>(second[i])) << i;
  }
}

TEST_P(ClippedSumsOfBothRules, HaveNoExampleLongerThanTheBound) {
  for (const double bound : {1e-9, 1.0, 3e7}) {
    const Gradients gradients = drawn(1, std::normal_distribution<double>(0, bound));
    const Clipping clipping{.rule = GetParam(), .bound = bound, .tau = 0.3 / (bound * bound)};
    const Sums sums = sums_of(gradients, clipping);
    EXPECT_EQ(sums.clipped, 1);
    long double length = 0;  // squares of floats are exact here, and 64 digits of their sum leave 2^-50 of it
    for (std::size_t i = 0; i < all_numbers; ++i) {
      const long double x = sums.gradients[i], square = sums.squares[i];
      length += x * x;
      if (GetParam() == ClipRule::joint) length += static_cast<long double>(clipping.tau) * square * square;
    }
    length = std::sqrt(length);
    EXPECT_LE(length, bound);
    EXPECT_GE(length, bound * (1 - 0x1p-20));  // nothing is given away either
  }
}

TEST_P(ClippedSumsOfBothRules, AreTheSameBitsInWhateverPartsABatchComes) {
  const Gradients gradients = drawn(23, std::normal_distribution<double>());
  const Clipping clipping{.rule = GetParam(), .bound = 39, .tau = 0.01};
  const Sums whole = sums_of(gradients, clipping);
  for (const std::size_t at_a_time : {1U, 4U, 22U}) {
    const Sums parts = sums_of(gradients, clipping, at_a_time);
    EXPECT_EQ(parts.gradients, whole.gradients) << at_a_time;
    EXPECT_EQ(parts.squares, whole.squares) << at_a_time;
    EXPECT_EQ(parts.clipped, whole.clipped) << at_a_time;
  }
}

TEST_P(ClippedSumsOfBothRules, LeaveOutAnExampleThatIsNotFinite) {
  const Clipping clipping{.rule = GetParam(), .bound = 0.5, .tau = 0.5};
  Gradients gradients = drawn(3, std::normal_distribution<double>());
  for (std::size_t i = 0; i < widths.size(); ++i)  // the second example counts as nothing
    std::fill_n(gradients.layers[i].begin() + static_cast<std::ptrdiff_t>(widths[i]), widths[i], 0.0F);
  const Sums expected = sums_of(gradients, clipping);
  EXPECT_EQ(expected.clipped, 2);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (std::size_t layer = 0; layer < widths.size(); ++layer) {
      Gradients poisoned = gradients;
      poisoned.layers[layer][widths[layer]] = bad;
      const Sums sums = sums_of(poisoned, clipping);
      EXPECT_EQ(sums.gradients, expected.gradients);
      EXPECT_EQ(sums.squares, expected.squares);
      EXPECT_EQ(sums.clipped, 3);
      EXPECT_EQ(sums.kept, (std::vector<bool>{true, false, true}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ClippedSumsOfBothRules, testing::Values(ClipRule::each, ClipRule::joint));

TEST(ClippedSums, BoundEverySquareByThatOfItsLayerAndLeaveGradientsAlone) {
  const Gradients gradients = drawn(20, std::normal_distribution<double>());
  Clipping clipping{.rule = ClipRule::each, .bound = 3};
  const Sums without = sums_of(gradients, clipping);
  // Layers that are not those in which gradients come; squares are bounded in some examples and not in
  // others.
  clipping.square_clip = {
      {.count = 5, .bound = 0.05}, {.count = 1000, .bound = 0.1}, {.count = all_numbers - 1005, .bound = 3}};
  const Sums sums = sums_of(gradients, clipping);
  EXPECT_EQ(sums.gradients, without.gradients);
  EXPECT_EQ(sums.clipped, without.clipped);
  // Examples one by one, so that their clipped gradients are known to the bit.
  std::vector<std::vector<float>> clipped;
  for (std::size_t j = 0; j < gradients.examples; ++j) {
    Gradients one{.examples = 1};
    for (std::size_t l = 0; l < widths.size(); ++l) {
      const auto begin = gradients.layers[l].begin() + static_cast<std::ptrdiff_t>(j * widths[l]);
      one.layers.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(widths[l]));
    }
    clipped.push_back(sums_of(one, {.rule = ClipRule::each, .bound = 3}).gradients);
  }
  std::size_t cut = 0;
  for (std::size_t i = 0; i < all_numbers; ++i) {
    const double c = i < 5 ? 0.05 : i < 1005 ? 0.1 : 3;
    double second = 0;
    for (const std::vector<float>& example : clipped) {
      const double x = static_cast<double>(example[i]);
      cut += x * x > c * c ? 1U : 0U;
      second += std::min(x * x, c * c);
    }
    // Bounds are rounded down by some 2^-51 and sums to float once: 2^-23 of the sum is twice that.
    EXPECT_NEAR(static_cast<double>(sums.squares[i]), second, 0x1p-23 * second) << i;
  }
  EXPECT_GT(cut, 1000U);
}

TEST(ClippedSums, HaveNoBoundedSquareAboveItsBoundAndNoneLongerThanCTimesZeta) {
  for (const double bound : {1e-9, 1.0, 3e7}) {
    for (const double part : {0.5, 0.01, 1e-5}) {
      const Gradients gradients = drawn(1, std::normal_distribution<double>(0, bound));
      const double c = part * bound;
      const Sums sums = sums_of(
          gradients,
          {.rule = ClipRule::each, .bound = bound, .square_clip = {{.count = all_numbers, .bound = c}}});
      long double length = 0;
      for (const float square : sums.squares) {
        // Rounded to float once: 2^-24 of it, which is part of the sums' error.
        EXPECT_LE(static_cast<long double>(square), static_cast<long double>(c) * c * (1 + 0x1p-24L));
        length += static_cast<long double>(square) * square;
      }
      EXPECT_LE(std::sqrt(length), static_cast<long double>(c) * bound * (1 + 0x1p-24L));
    }
  }
}

TEST(ClippedSums, WithABoundOfZetaAreTheSameBits) {
  const Gradients gradients = drawn(20, std::normal_distribution<double>());
  const Sums without = sums_of(gradients, {.rule = ClipRule::each, .bound = 0.7});
  const Sums with =
      sums_of(gradients,
              {.rule = ClipRule::each, .bound = 0.7, .square_clip = {{.count = all_numbers, .bound = 0.7}}});
  EXPECT_EQ(with.gradients, without.gradients);
  EXPECT_EQ(with.squares, without.squares);
}

TEST(ClippedSums, OfBoundedSquaresAreTheSameBitsInWhateverPartsABatchComes) {
  const Gradients gradients = drawn(23, std::normal_distribution<double>());
  const Clipping clipping{
      .rule = ClipRule::each,
      .bound = 3,
      .square_clip = {{.count = 777, .bound = 0.05}, {.count = all_numbers - 777, .bound = 0.1}}};
  const Sums whole = sums_of(gradients, clipping);
  for (const std::size_t at_a_time : {1U, 4U, 22U})
    EXPECT_EQ(sums_of(gradients, clipping, at_a_time).squares, whole.squares) << at_a_time;
}

TEST(ClippedSums, OfPartsThatAreAddedUpElsewhereAreThoseOfTheWhole) {
  // Whole numbers that nothing clips: sums are exact in any order.
  const Gradients gradients = drawn(23, std::uniform_int_distribution<int>(-9, 9));
  const Clipping clipping{.rule = ClipRule::each, .bound = 1e6};
  const Sums whole = sums_of(gradients, clipping);
  ClippedSums here(clipping, all_numbers, true), there(clipping, all_numbers, true);
  std::vector<bool> kept;
  here.add(gradients.rows(0), 15, kept);  // of a batch before this one
  here.clear();
  here.add(gradients.rows(0), 9, kept);
  there.add(gradients.rows(9), 14, kept);
  for (std::size_t i = 0; i < all_numbers; ++i) {
    here.gradients()[i] += there.gradients()[i];
    here.squares()[i] += there.squares()[i];
  }
  Sums sums;
  here.add_to(sums.gradients, sums.squares);
  EXPECT_EQ(sums.gradients, whole.gradients);
  EXPECT_EQ(sums.squares, whole.squares);
}

TEST(ClippedSums, AreAsFarOffAsTheirErrorSaysInALargestBatch) {
  constexpr std::size_t examples = 300;
  constexpr double probability = 0.3;
  // All the same gradient, so that errors of rounding add up as far as they can.
  const std::size_t batch = largest_batch(examples, probability);
  Gradients gradients = drawn(batch, std::normal_distribution<double>());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (std::size_t j = 1; j < batch; ++j)
      std::copy_n(gradients.layers[i].begin(), widths[i],
                  gradients.layers[i].begin() + static_cast<std::ptrdiff_t>(j * widths[i]));
  }
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  const Sums sums = sums_of(gradients, clipping);
  Gradients one{.examples = 1};
  for (std::size_t i = 0; i < widths.size(); ++i)
    one.layers.emplace_back(gradients.layers[i].begin(),
                            gradients.layers[i].begin() + static_cast<std::ptrdiff_t>(widths[i]));
  const Sums single = sums_of(one, clipping);
  double squared_error = 0;
  for (std::size_t i = 0; i < all_numbers; ++i) {
    const double exact = static_cast<double>(batch) * static_cast<double>(single.gradients[i]);
    squared_error += std::pow(static_cast<double>(sums.gradients[i]) - exact, 2);
  }
  EXPECT_LE(std::sqrt(squared_error), clipped_sum_error(examples, probability));
  EXPECT_GT(std::sqrt(squared_error), 0.1 * clipped_sum_error(examples, probability));
}

TEST(ClippedSums, ErrorIsAtMostTheDefaultOfABatchConfigurationForUsualBatches) {
  EXPECT_LE(clipped_sum_error(50'000, 256.0 / 50'000), 0x1p-12);
  EXPECT_LE(clipped_sum_error(50'000, 1.0 / 50'000), 0x1p-12);
}

TEST(ClippedSums, RefuseWhatDoesNotFitAndAddNoneOfIt) {
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  for (const double bound : {0.0, -1.0, 0x1p-61, 0x1p61, std::nan("")})
    EXPECT_THROW(ClippedSums({.rule = ClipRule::each, .bound = bound}, 3, false), InvalidParameter) << bound;
  for (const double tau : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(ClippedSums({.rule = ClipRule::joint, .bound = 1, .tau = tau}, 3, false), InvalidParameter);
  for (const double c : {0.0, -1.0, 1.01, 0x1p-21, std::nan("")})
    EXPECT_THROW(
        ClippedSums({.rule = ClipRule::each, .bound = 1, .square_clip = {{.count = 3, .bound = c}}}, 3, true),
        InvalidParameter);
  EXPECT_THROW(
      ClippedSums({.rule = ClipRule::each, .bound = 1, .square_clip = {{.count = 2, .bound = 1}}}, 3, true),
      InvalidParameter);
  EXPECT_THROW(
      ClippedSums({.rule = ClipRule::joint, .bound = 1, .square_clip = {{.count = 3, .bound = 1}}}, 3, true),
      InvalidParameter);
  EXPECT_THROW(
      ClippedSums({.rule = ClipRule::each, .bound = 0x1p-50, .square_clip = {{.count = 3, .bound = 0x1p-60}}},
                  3, true),
      InvalidParameter);
  ClippedSums sums(clipping, 3, false);
  std::vector<bool> kept;
  const std::vector<float> numbers(8, 0.5F);
  const std::vector<GradientRows> too_few{{.values = numbers.data(), .count = 2}};
  const std::vector<GradientRows> too_many{{.values = numbers.data(), .count = 2},
                                           {.values = numbers.data(), .count = 2}};
  EXPECT_THROW(sums.add(too_few, 1, kept), DataError);
  EXPECT_THROW(sums.add(too_many, 1, kept), DataError);
  std::vector<float> gradients(3), squares(3), shorter(2);
  EXPECT_THROW(sums.add_to(shorter, {}), DataError);
  EXPECT_THROW(sums.add_to(gradients, squares), DataError);
  sums.add_to(gradients, {});
  EXPECT_EQ(gradients, std::vector<float>(3, 0.0F));
}

}  // namespace
}  // namespace jme
