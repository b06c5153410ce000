#include "network.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>

#include <jme/base/errors.hpp>

#include "plain_network.hpp"

namespace jme::train {
namespace {

constexpr PictureShape small{.channels = 2, .height = 9, .width = 8};
constexpr PictureShape cifar{.channels = 3, .height = 32, .width = 32};
constexpr PictureShape fashion{.channels = 1, .height = 28, .width = 28};

struct Batch {
  at::Tensor pictures, labels;
};

Batch random_batch(const PictureShape& shape, std::int64_t classes, std::int64_t examples,
                   std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<float> normal;
  Batch batch{.pictures = at::empty({examples, shape.channels, shape.height, shape.width}, at::kFloat),
              .labels = at::empty({examples}, at::kLong)};
  float* pixels = batch.pictures.data_ptr<float>();
  for (std::int64_t i = 0; i < batch.pictures.numel(); ++i) pixels[i] = normal(words);
  for (std::int64_t j = 0; j < examples; ++j)
    batch.labels.data_ptr<std::int64_t>()[j] =
        static_cast<std::int64_t>(words() % static_cast<std::uint64_t>(classes));
  return batch;
}

Batch one_of(const Batch& batch, std::int64_t example) {
  return {.pictures = batch.pictures.narrow(0, example, 1), .labels = batch.labels.narrow(0, example, 1)};
}

struct Sums {
  std::vector<float> gradients, squares;
  BatchOutcome outcome;
};

Sums clipped(const Network& network, const Batch& batch, const Clipping& clipping) {
  Sums sums{.gradients = std::vector<float>(network.parameter_count(), 0.0F),
            .squares = std::vector<float>(network.parameter_count(), 0.0F),
            .outcome = {}};
  sums.outcome = network.add_clipped(batch.pictures, batch.labels, clipping, sums.gradients, sums.squares);
  return sums;
}

/// The same batch, one example at a time, added in double.
Sums looped(const Network& network, const Batch& batch, const Clipping& clipping) {
  std::vector<double> gradients(network.parameter_count(), 0.0), squares(network.parameter_count(), 0.0);
  Sums all{.gradients = {}, .squares = {}, .outcome = {}};
  for (std::int64_t j = 0; j < batch.labels.size(0); ++j) {
    const Sums alone = clipped(network, one_of(batch, j), clipping);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] += static_cast<double>(alone.gradients[i]);
      squares[i] += static_cast<double>(alone.squares[i]);
    }
    all.outcome.loss += alone.outcome.loss;
    all.outcome.clipped += alone.outcome.clipped;
    all.outcome.examples += alone.outcome.examples;
  }
  all.gradients.assign(gradients.begin(), gradients.end());
  all.squares.assign(squares.begin(), squares.end());
  return all;
}

/// A bound that some of the examples exceed and some do not.
double middle_length(const Network& network, const Batch& batch) {
  std::vector<double> lengths;
  for (std::int64_t j = 0; j < batch.labels.size(0); ++j) {
    double square = 0;
    for (const float value :
         clipped(network, one_of(batch, j), {.rule = ClipRule::each, .bound = 1e9}).gradients)
      square += static_cast<double>(value) * static_cast<double>(value);
    lengths.push_back(std::sqrt(square));
  }
  std::sort(lengths.begin(), lengths.end());
  return (lengths[lengths.size() / 2 - 1] + lengths[lengths.size() / 2]) / 2;
}

PlainNetwork plain_network(std::size_t classes) {
  return {.stages = {{32, false}, {32, true}, {64, false}, {64, true}, {128, true}},
          .groups = 8,
          .classes = classes};
}

PlainNetwork::Picture plain_picture(const PictureShape& shape, const at::Tensor& picture) {
  const at::Tensor whole = picture.contiguous();
  const float* values = whole.data_ptr<float>();
  return {.channels = static_cast<std::size_t>(shape.channels),
          .height = static_cast<std::size_t>(shape.height),
          .width = static_cast<std::size_t>(shape.width),
          .values = {values, values + whole.numel()}};
}

std::vector<double> in_double(std::span<const float> values) {
  return {values.begin(), values.end()};
}

// Every one of the 12 passes sums at most 1152 terms, so its relative error is at most about 1152 * 2^-24;
// ten times the product would not hide a wrong formula, which is off by its own size.
constexpr double float_error = 12 * 1152 * 0x1p-24;

TEST(Network, LogitsAreThoseOfAPlainNetworkInDouble) {
  Network network(small, 4, 3);
  const Batch batch = random_batch(small, 4, 3, 11);
  const at::Tensor logits = network.logits(batch.pictures);
  for (std::int64_t j = 0; j < 3; ++j) {
    const auto expected =
        plain_network(4).logits(in_double(network.parameters()), plain_picture(small, batch.pictures[j]));
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(logits[j][static_cast<std::int64_t>(k)].item<double>(), expected[k], float_error);
  }
}

TEST(Network, GradientsAreTheDifferencesOfAPlainNetworkInDouble) {
  Network network(small, 4, 3);
  std::mt19937_64 words(5);
  // Scales and shifts that are not 1 and 0, so that a forgotten one is seen.
  for (float& parameter : network.parameters())
    parameter += 0.1F * (static_cast<float>(words() >> 40) * 0x1p-23F - 1);
  const Batch batch = random_batch(small, 4, 2, 12);
  std::vector<float> sum(network.parameter_count(), 0.0F);
  const BatchOutcome outcome = network.add_gradients(batch.pictures, batch.labels, sum);
  const PlainNetwork plain = plain_network(4);
  std::vector<double> parameters = in_double(network.parameters());
  const auto loss = [&] {
    double total = 0;
    for (std::int64_t j = 0; j < 2; ++j)
      total += plain.loss(parameters, plain_picture(small, batch.pictures[j]),
                          static_cast<std::size_t>(batch.labels[j].item<std::int64_t>()));
    return total;
  };
  EXPECT_NEAR(outcome.loss, loss(), 2 * float_error);
  EXPECT_EQ(outcome.examples, 2);
  // Convolution, scale and shift of every block; weights and bias of the last layer.
  std::vector<std::size_t> parts;
  std::size_t channels = 2;
  for (const auto& stage : plain.stages) {
    parts.insert(parts.end(), {9 * channels * stage.channels, stage.channels, stage.channels});
    channels = stage.channels;
  }
  parts.insert(parts.end(), {4 * 128, 4});
  std::size_t begin = 0;
  for (const std::size_t part : parts) {
    double largest = 0;
    for (std::size_t i = begin; i < begin + part; ++i) largest = std::max(largest, std::abs(double{sum[i]}));
    for (int draw = 0; draw < 5; ++draw) {
      const std::size_t i = begin + words() % part;
      constexpr double h = 1e-6;  // truncation h^2, rounding 1e-16 / h: both below 1e-9
      const double before = parameters[i];
      parameters[i] = before + h;
      const double above = loss();
      parameters[i] = before - h;
      const double below = loss();
      parameters[i] = before;
      EXPECT_NEAR(double{sum[i]}, (above - below) / (2 * h), float_error * largest + 1e-8)
          << "parameter " << i;
    }
    begin += part;
  }
  EXPECT_EQ(begin, network.parameter_count());
}

// Stronger than to float precision: what an example adds does not depend on its companions by one bit, so the
// joint sensitivity of the sums is that of exact arithmetic and one rounding.
class ClippingRules : public testing::TestWithParam<ClipRule> {};

TEST_P(ClippingRules, BatchIsTheSumOfALoopOverItsExamplesBitForBit) {
  const Network network(small, 3, 3, 5);  // parts of 5, 5 and 1, and 15 logits: vectors with a remainder
  const Batch batch = random_batch(small, 3, 11, 13);
  const Clipping clipping{.rule = GetParam(), .bound = middle_length(network, batch), .tau = 0.5};
  const Sums together = clipped(network, batch, clipping), loop = looped(network, batch, clipping);
  EXPECT_GT(together.outcome.clipped, 0);
  EXPECT_LT(together.outcome.clipped, 11);
  EXPECT_EQ(together.outcome.clipped, loop.outcome.clipped);
  EXPECT_EQ(together.outcome.examples, 11);
  EXPECT_EQ(together.outcome.loss, loop.outcome.loss);
  EXPECT_EQ(together.gradients, loop.gradients);
  // The loop's squares were rounded to float once more for each example.
  for (std::size_t i = 0; i < loop.squares.size(); ++i)
    ASSERT_NEAR(together.squares[i], loop.squares[i], 0x1p-23 * double{loop.squares[i]}) << i;
}

TEST_P(ClippingRules, NoExampleIsLongerThanTheBoundInExactArithmetic) {
  const Network network(small, 4, 3, 4);
  const Batch batch = random_batch(small, 4, 6, 14);
  const Clipping clipping{.rule = GetParam(), .bound = middle_length(network, batch) / 4, .tau = 2};
  for (std::int64_t j = 0; j < 6; ++j) {
    const Sums alone = clipped(network, one_of(batch, j), clipping);
    EXPECT_EQ(alone.outcome.clipped, 1);
    // Squares of floats are exact here, and 64 digits of the sum leave 2^-40 of it.
    long double square = 0;
    for (std::size_t i = 0; i < alone.gradients.size(); ++i) {
      square += static_cast<long double>(alone.gradients[i]) * static_cast<long double>(alone.gradients[i]);
      if (GetParam() == ClipRule::joint) {
        square += 2 * static_cast<long double>(alone.squares[i]) * static_cast<long double>(alone.squares[i]);
      } else {
        EXPECT_EQ(alone.squares[i],
                  static_cast<float>(double{alone.gradients[i]} * double{alone.gradients[i]}));
      }
    }
    const double length = static_cast<double>(std::sqrt(square));
    EXPECT_LE(length, clipping.bound);
    EXPECT_GE(length, clipping.bound * (1 - 0x1p-20));  // and it is not clipped more than needed
  }
}

TEST_P(ClippingRules, ExampleThatIsNotFiniteCountsAsZeroAndTouchesNoOther) {
  const Network network(small, 4, 3, 4);
  const Batch good = random_batch(small, 4, 5, 15);
  const Clipping clipping{.rule = GetParam(), .bound = 0.5, .tau = 0.5};
  const Sums expected = clipped(network, good, clipping);
  for (const float poison :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38F}) {
    Batch bad{.pictures = at::cat({good.pictures.narrow(0, 0, 2), good.pictures.narrow(0, 0, 1).clone(),
                                   good.pictures.narrow(0, 2, 3)}),
              .labels = at::cat(
                  {good.labels.narrow(0, 0, 2), good.labels.narrow(0, 0, 1), good.labels.narrow(0, 2, 3)})};
    bad.pictures[2].fill_(poison);
    bad.pictures[2][0][3][3] = -poison;
    const Sums sums = clipped(network, bad, clipping);
    EXPECT_EQ(sums.gradients, expected.gradients);
    EXPECT_EQ(sums.squares, expected.squares);
    EXPECT_EQ(sums.outcome.loss, expected.outcome.loss);
    EXPECT_EQ(sums.outcome.clipped, expected.outcome.clipped + 1);
    EXPECT_EQ(sums.outcome.examples, 6);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ClippingRules, testing::Values(ClipRule::each, ClipRule::joint));

/// In each of `places` of a full pass an example must give the same bits as alone. Its companions are there
/// and take part in every product, but count as zero because one pixel of each is not finite.
void expect_same_bits_in_company(const PictureShape& shape, const std::vector<std::int64_t>& places) {
  const Network network(shape, 10, 3);
  const Batch batch = random_batch(shape, 10, 32, 16);
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  for (const std::int64_t place : places) {
    const Sums alone = clipped(network, one_of(batch, place), clipping);
    Batch others{.pictures = batch.pictures.clone(), .labels = batch.labels};
    others.pictures.select(1, 0).select(1, 0).select(1, 0).fill_(std::numeric_limits<float>::quiet_NaN());
    others.pictures[place].copy_(batch.pictures[place]);
    const Sums among = clipped(network, others, clipping);
    EXPECT_GE(among.outcome.clipped, 31) << place;
    EXPECT_EQ(among.gradients, alone.gradients) << place;
    EXPECT_EQ(among.squares, alone.squares) << place;
  }
}

std::vector<std::int64_t> every_place() {
  std::vector<std::int64_t> places(32);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

TEST(Clipping, ExampleIsTheSameBitsInEveryPlaceAndCompany) {
  expect_same_bits_in_company(small, every_place());
}
TEST(Clipping, ExampleIsTheSameBitsInSomePlacesAndCompanyAtFullSize) {
  expect_same_bits_in_company(cifar, {0, 13, 31});
}
TEST(SlowClipping, ExampleIsTheSameBitsInEveryPlaceAndCompanyAtFullSize) {
  expect_same_bits_in_company(cifar, every_place());
  expect_same_bits_in_company(fashion, every_place());
}

TEST(Clipping, ThreadsDoNotChangeABit) {
  const Network network(cifar, 10, 3);
  const Batch batch = random_batch(cifar, 10, 33, 17);
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const Sums one = clipped(network, batch, clipping);
  at::set_num_threads(2);
  const Sums two = clipped(network, batch, clipping);
  at::set_num_threads(before);
  EXPECT_EQ(one.gradients, two.gradients);
  EXPECT_EQ(one.squares, two.squares);
}

TEST(Clipping, WithinAGenerousBoundTheSumIsTheGradient) {
  const Network network(small, 4, 3);
  const Batch batch = random_batch(small, 4, 7, 18);
  std::vector<float> sum(network.parameter_count(), 0.0F);
  const BatchOutcome outcome = network.add_gradients(batch.pictures, batch.labels, sum);
  const Sums all = clipped(network, batch, {.rule = ClipRule::each, .bound = 1e6});
  EXPECT_EQ(all.outcome.clipped, 0);
  EXPECT_NEAR(all.outcome.loss, outcome.loss, 7 * float_error);
  double largest = 0;
  for (const float value : sum) largest = std::max(largest, std::abs(double{value}));
  for (std::size_t i = 0; i < sum.size(); ++i)
    ASSERT_NEAR(double{all.gradients[i]}, double{sum[i]}, float_error * largest) << i;
}

TEST(Clipping, SizeOfThePartsOnlyMovesTheRounding) {
  const Batch batch = random_batch(small, 4, 9, 19);
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  const Sums expected = clipped(Network(small, 4, 3, 1), batch, clipping);
  for (const std::int64_t at_a_time : {2, 5, 32}) {
    const Sums sums = clipped(Network(small, 4, 3, at_a_time), batch, clipping);
    double difference = 0;
    for (std::size_t i = 0; i < sums.gradients.size(); ++i)
      difference += std::pow(double{sums.gradients[i]} - double{expected.gradients[i]}, 2);
    // Each of 9 gradients of length 1 may have been computed by another kernel.
    EXPECT_LE(std::sqrt(difference), 9 * float_error) << at_a_time;
  }
}

TEST(Clipping, AddsToWhatIsThereAndSquaresAreOptional) {
  const Network network(small, 4, 3, 4);
  const Batch batch = random_batch(small, 4, 3, 20);
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  const Sums expected = clipped(network, batch, clipping);
  std::vector<float> gradients(network.parameter_count(), 1.0F);
  network.add_clipped(batch.pictures, batch.labels, clipping, gradients, {});
  for (std::size_t i = 0; i < gradients.size(); ++i) ASSERT_EQ(gradients[i], 1.0F + expected.gradients[i]);
}

TEST(Clipping, EmptyBatchAddsNothing) {
  const Network network(small, 4, 3);
  const Batch batch = random_batch(small, 4, 0, 21);
  const Sums sums = clipped(network, batch, {.rule = ClipRule::each, .bound = 1});
  EXPECT_EQ(sums.outcome.examples, 0);
  EXPECT_EQ(sums.outcome.loss, 0);
  EXPECT_THAT(sums.gradients, testing::Each(0.0F));
  EXPECT_EQ(network.logits(batch.pictures).size(0), 0);
}

TEST(Network, BeginsFromTheSeedAlone) {
  Network first(small, 4, 3), again(small, 4, 3), other(small, 4, 4);
  EXPECT_TRUE(std::ranges::equal(first.parameters(), again.parameters()));
  EXPECT_FALSE(std::ranges::equal(first.parameters(), other.parameters()));
  // sqrt(3 * 2 / 18) * (word >> 11) * 2^-52 - 1 from words of the generator's definition, seed 3.
  std::mt19937_64 words(3);
  const double word = static_cast<double>(words() >> 11);
  EXPECT_EQ(first.parameters()[0], static_cast<float>(std::sqrt(1.0 / 3) * (word * 0x1p-52 - 1)));
  const std::size_t weights = 9 * 2 * 32;
  EXPECT_EQ(first.parameters()[weights], 1.0F);       // scale
  EXPECT_EQ(first.parameters()[weights + 32], 0.0F);  // shift
}

TEST(Network, SaysItsSizes) {
  const Network network(cifar, 10, 1);
  EXPECT_THAT(network.describe(),
              testing::HasSubstr(std::to_string(network.parameter_count()) + " parameters"));
  EXPECT_GE(network.parameter_count(), 100'000U);
  EXPECT_LE(network.parameter_count(), 550'000U);
}

TEST(Network, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Network({1, 4, 28}, 10, 1), InvalidParameter);
  EXPECT_THROW(Network(small, 1, 1), InvalidParameter);
  EXPECT_THROW(Network(small, 4, 1, 0), InvalidParameter);
  const Network network(small, 4, 3);
  const Batch batch = random_batch(small, 4, 2, 22);
  std::vector<float> sum(network.parameter_count(), 0.0F), short_sum(3);
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  const auto call = [&](const at::Tensor& pictures, const at::Tensor& labels, const Clipping& rule,
                        std::span<float> gradients) {
    network.add_clipped(pictures, labels, rule, gradients, {});
  };
  EXPECT_THROW(call(batch.pictures.narrow(3, 0, 7), batch.labels, clipping, sum), DataError);
  EXPECT_THROW(call(batch.pictures.to(at::kDouble), batch.labels, clipping, sum), DataError);
  EXPECT_THROW(call(batch.pictures, batch.labels.narrow(0, 0, 1), clipping, sum), DataError);
  EXPECT_THROW(call(batch.pictures, batch.labels.add(4), clipping, sum), DataError);
  EXPECT_THROW(call(batch.pictures, batch.labels.sub(4), clipping, sum), DataError);
  EXPECT_THROW(call(batch.pictures, batch.labels, clipping, short_sum), DataError);
  EXPECT_THROW(call(batch.pictures, batch.labels, {.rule = ClipRule::each, .bound = 0}, sum),
               InvalidParameter);
  EXPECT_THROW(call(batch.pictures, batch.labels, {.rule = ClipRule::joint, .bound = 1, .tau = -1}, sum),
               InvalidParameter);
  EXPECT_THROW(network.add_gradients(batch.pictures, batch.labels, short_sum), DataError);
  EXPECT_THROW((void)network.logits(batch.pictures.narrow(1, 0, 1)), DataError);
}

}  // namespace
}  // namespace jme::train
