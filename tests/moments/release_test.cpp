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
      const Release again = Release::unpacked({.dimension = 3, .second = second}, release.rows(),
                                              release.steps(), release.packed());
      EXPECT_TRUE(again.is_new());
      EXPECT_EQ(again.rows(), 5U);
      EXPECT_EQ(again.steps(), 2U);
      EXPECT_EQ(again.packed(), release.packed());
      EXPECT_EQ(again.second_matrix(), release.second_matrix());
      EXPECT_EQ(again.std_first(), release.std_first());
      EXPECT_EQ(again.std_second(), release.std_second());
      EXPECT_EQ(again.bias_second(), release.bias_second());
      EXPECT_EQ(again.weight_first(), release.weight_first());
      EXPECT_EQ(again.weight_second(), release.weight_second());
    }
  }
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
