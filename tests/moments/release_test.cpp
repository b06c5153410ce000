#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme {
namespace {

TEST(Release, UnpackedIsTheOneThatWasPacked) {
  for (const SecondMoment second : {SecondMoment::none, SecondMoment::diagonal, SecondMoment::full}) {
    for (const Method method : {Method::jme, Method::pp}) {
      MomentStream stream({.budget = {.sigma = 1},
                           .rows = 9,
                           .every = 3,
                           .dimension = 3,
                           .norm_bound = 1,
                           .method = method,
                           .shape = Shape::identity(),
                           .second = second});
      for (int t = 0; t < 5; ++t) stream.push(std::vector{0.1 * t, 0.2, -0.3});
      const Release& release = stream.finish();
      const Release again =
          Release::unpacked(release.layout(), release.rows(), release.steps(), release.packed());
      EXPECT_TRUE(again.is_new());
      EXPECT_EQ(again.rows(), 5U);
      EXPECT_EQ(again.steps(), 2U);
      EXPECT_EQ(again.packed(), release.packed());
      EXPECT_EQ(again.second_matrix(), release.second_matrix());
      EXPECT_EQ(again.std_first(), release.std_first());
      EXPECT_EQ(again.std_second(), release.std_second());
      EXPECT_EQ(again.trace(), release.trace());
      EXPECT_EQ(again.trace().has_value(), method == Method::jme && second != SecondMoment::none);
      EXPECT_EQ(again.diagonal_covariance(), release.diagonal_covariance());
      EXPECT_EQ(again.bias_second(), release.bias_second());
      EXPECT_EQ(again.weight_first(), release.weight_first());
      EXPECT_EQ(again.weight_second(), release.weight_second());
    }
  }
}

// Five rows and one that is zero have the sums of the five; what they are divided by is five again.
TEST(Release, WithoutItsZeroRowsHasTheSameSumsOfFewerRows) {
  for (const Workload& workload : {prefix(), mean()}) {
    MomentStream stream({.budget = {.sigma = 1},
                         .rows = 6,
                         .every = 3,
                         .dimension = 2,
                         .norm_bound = 1,
                         .workload = workload,
                         .shape = Shape::identity()});
    for (int t = 0; t < 5; ++t) stream.push(std::vector{0.1 * t, 0.2});
    const Release& padded = stream.push(std::vector{0.0, 0.0});
    const Release five = padded.without_zero_rows(1);
    EXPECT_EQ(five.rows(), 5U);
    EXPECT_EQ(five.steps(), 2U);
    EXPECT_EQ(five.second_matrix(), padded.second_matrix());
    EXPECT_EQ(five.first()[0], padded.first()[0]);
    EXPECT_EQ(five.std_first(), padded.std_first());
    // Products of a weight and 5/6 are rounded once or twice.
    EXPECT_DOUBLE_EQ(five.weight_first() * 6, padded.weight_first() * 5);
    EXPECT_DOUBLE_EQ(five.weight_second() * 6, padded.weight_second() * 5);
    EXPECT_EQ(padded.without_zero_rows(0).packed(), padded.packed());
    EXPECT_THROW(static_cast<void>(padded.without_zero_rows(7)), StateError);
  }
}

TEST(Release, WithPrivateCountsHasNoZeroRowsToLeaveOut) {
  const Release release(ReleaseLayout{.dimension = 2, .row_count = true});
  EXPECT_THROW(static_cast<void>(release.without_zero_rows(0)), StateError);
}

TEST(Release, IsNotUnpackedFromTheNumbersOfAnother) {
  const Release release(ReleaseLayout{.dimension = 3});
  const std::vector<double> packed = release.packed();
  EXPECT_THROW(Release::unpacked({.dimension = 3, .second = SecondMoment::diagonal}, 1, 1, packed),
               StateError);
  EXPECT_THROW(Release::unpacked({.dimension = 2}, 1, 1, packed), StateError);
  EXPECT_THROW(Release::unpacked({.dimension = 3}, 1, 1, std::span(packed).first(4)), StateError);
}

}  // namespace
}  // namespace jme
