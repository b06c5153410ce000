#include <fmt/format.h>
#include <gtest/gtest.h>

#include <jme/version.hpp>

namespace jme {
namespace {

TEST(Version, IsWrittenFromItsNumbers) {
  EXPECT_EQ(version, fmt::format("{}.{}.{}", version_major, version_minor, version_patch));
}

}  // namespace
}  // namespace jme
