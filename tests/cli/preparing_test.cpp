// Long preparations are announced on a terminal. They are slow, and so are these tests.
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// Twenty thousand million products: more than any processor's core makes in a second.
const std::string long_preparation =
    "run --no-header --bounds 1=0:9 --epsilon 1 --delta 1e-6 --rows 1e6 --shape banded:4096";

TEST(SlowPreparing, IsToldOnATerminalAndWipedAtTheEnd) {
  const CommandResult result = jme(long_preparation, {.input = "1\n2\n", .terminal_error = true});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("\rjme: preparing the noise ... 1 s"));
  EXPECT_THAT(result.err, EndsWith(std::string(79, ' ') + "\r"));
}

TEST(SlowPreparing, IsNotToldToAFile) {
  const CommandResult result = jme(long_preparation, {.input = "1\n2\n"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace jme::test
