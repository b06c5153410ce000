#include <gtest/gtest.h>

#include <jme/base/cancellation.hpp>
#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

namespace jme {
namespace {

TEST(LongOptimisations, EndWhereTheyAreCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const Horizon horizon(100);
  const Eigen::MatrixXd a = mean().filter(horizon).to_dense();
  EXPECT_NO_THROW(static_cast<void>(dense_optimum(a)));
  const Cancellable scope(stop.get_token());
  EXPECT_THROW(static_cast<void>(dense_optimum(a)), Cancelled);
  EXPECT_THROW(static_cast<void>(Shape::blt(3).filter(decay(0.93), horizon)), Cancelled);
}

}  // namespace
}  // namespace jme
