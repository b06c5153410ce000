#include <thread>

#include <gtest/gtest.h>

#include <jme/base/cancellation.hpp>

namespace jme {
namespace {

TEST(Cancellation, EndsComputationsInsideItsScopeAlone) {
  std::stop_source stop;
  EXPECT_NO_THROW(check_cancelled());
  {
    const Cancellable scope(stop.get_token());
    EXPECT_NO_THROW(check_cancelled());
    stop.request_stop();
    EXPECT_THROW(check_cancelled(), Cancelled);
    const Cancellable inner(std::stop_token{});
    EXPECT_NO_THROW(check_cancelled());
  }
  EXPECT_NO_THROW(check_cancelled());
}

TEST(Cancellation, EndsNoComputationOfAnotherThread) {
  std::stop_source stop;
  stop.request_stop();
  const Cancellable scope(stop.get_token());
  std::thread([] { EXPECT_NO_THROW(check_cancelled()); }).join();
  EXPECT_THROW(check_cancelled(), Cancelled);
}

TEST(Cancellation, EndsComputationsAfterTheirDeadline) {
  const Cancellable scope(std::stop_token{}, Cancellable::Clock::now());
  EXPECT_THROW(check_cancelled(), Cancelled);
}

}  // namespace
}  // namespace jme
