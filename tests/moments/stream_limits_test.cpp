// Whatever a stream refuses when it is made is refused without one.
#include "mechanism/stream_limits.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme {
namespace {

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "none";
}

StreamConfig small() {
  StreamConfig config;
  config.budget.sigma = 1;
  config.rows = 40;
  config.dimension = 2;
  config.norm_bound = 1;
  return config;
}

void expect_same(const StreamConfig& config, const std::string& expected) {
  const Mechanism mechanism(config);
  const std::string alone = complaint([&] { check_stream_limits(mechanism); });
  EXPECT_EQ(alone, complaint([&] { const MomentStream stream(mechanism, InsecureTestSeed{1}); }));
  EXPECT_EQ(alone.find(expected), 0U) << alone;
}

TEST(StreamLimits, RefuseInTheWordsOfTheStreamItself) {
  StreamConfig loud = small();
  loud.budget.sigma = 1e10;
  for (const char* shape : {"auto", "identity", "sqrt", "banded:4", "dense"}) {
    loud.shape = Shape::parse(shape, "shape");
    expect_same(loud, "sigma: its noise could reach 2^50 lattice units");
  }
  StreamConfig shaped_pp = small();
  shaped_pp.method = Method::pp;
  shaped_pp.rows = most_rows_of_shaped_pp + 1;
  shaped_pp.shape = Shape::parse("scaled-blt:2", "shape");
  expect_same(shaped_pp, "shape: pp with this shape is limited to 4096 rows");
}

TEST(StreamLimits, LetPassWhatAStreamAccepts) {
  for (const Method method : {Method::jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    for (const SecondMoment second : {SecondMoment::none, SecondMoment::diagonal, SecondMoment::full}) {
      for (const char* shape : {"identity", "sqrt", "banded:4", "blt:2", "scaled-blt:2", "dense"}) {
        StreamConfig config = small();
        config.method = method;
        config.second = second;
        config.shape = Shape::parse(shape, "shape");
        expect_same(config, "none");
      }
    }
  }
}

}  // namespace
}  // namespace jme
