// What the command advises where somebody is stuck.
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test::advice_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class Advice : public InDirectory {};

const std::string budget = "--epsilon 1 --delta 1e-6 --rows 10 ";

TEST_F(Advice, BoundsThatWereForgottenAreNamedBeforeANormBound) {
  const CommandResult result = jme("run " + budget, {.input = "record_id,a\n1,2\n"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("jme: error: bounds: must be given, COLUMN=LOW:HIGH"));
  EXPECT_LT(result.err.find("jme bounds"), result.err.find("norm-bound"));
  EXPECT_THAT(result.err, HasSubstr("with columns: otherwise all columns are published"));
}

TEST_F(Advice, AColumnOfTextIsToBeLeftOutAndNotZeroed) {
  const std::string run = "run --norm-bound 1 " + budget;
  const CommandResult text = jme(run, {.input = "who,a\nx,0.1\n"});
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.err,
              HasSubstr("column who: not a number (--columns or --bounds leaves out a column of text"));
  EXPECT_THAT(text.err, Not(HasSubstr("--on-bad-row")));
  const CommandResult stray = jme(run, {.input = "who,a\n1,0.1\nx,0.1\n"});
  EXPECT_THAT(stray.err, HasSubstr("--on-bad-row zero counts such a row as zero"));
  EXPECT_THAT(stray.err, Not(HasSubstr("--columns")));
}

}  // namespace
}  // namespace jme::test::advice_tests
