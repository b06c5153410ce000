// What the command advises where somebody is stuck.
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test::advice_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class Advice : public InDirectory {};

const std::string budget = "--epsilon 1 --delta 1e-6 --rows 10 ";

TEST_F(Advice, HelpIsACommandToo) {
  EXPECT_EQ(jme("help").out, jme("--help").out);
  EXPECT_EQ(jme("help").code, 0);
  for (const char* command : {"run", "bounds", "ledger", "demo"}) {
    const CommandResult result = jme(std::string("help ") + command);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, jme(std::string(command) + " --help").out);
  }
  expect_refused(jme("help rnu"), 2, "unknown command rnu: must be one of run, bounds");
  expect_refused(jme("help run plan"), 2, "unexpected word plan");
}

TEST_F(Advice, TheNearestNameIsGivenForOneThatIsUnknown) {
  expect_refused(jme("--verison"), 2, "unknown flag --verison: the nearest known one is --version");
  expect_refused(jme("-V"), 2, "the nearest known one is --version");
  expect_refused(jme("--hlep run"), 2, "the nearest known one is --help");
  expect_refused(jme("--epsilon 1 run"), 2, "flags of a command come after its name");
  expect_refused(jme("rnu"), 2, "the nearest is run");
  expect_refused(jme("calibrat"), 2, "the nearest is calibrate");
}

TEST_F(Advice, ATerminalThatIsReadFromIsSaidToBe) {
  // Nobody types on it, so the run waits until it is ended.
  const std::string run = "run - --bounds a=0:1 " + budget,
                    bounds = "bounds - --columns a --first 9000 --epsilon 1 --delta 1e-6";
  for (const std::string& waiting : {run, bounds}) {
    const CommandResult result =
        execute("timeout", words("2 " + binary() + " " + waiting), {.terminal_input = true});
    EXPECT_EQ(result.code, 124) << result.err;
    EXPECT_THAT(result.err, HasSubstr("jme: note: rows are read from the terminal, the line of names first"));
  }
  EXPECT_THAT(jme(run, {.input = "a\n0.5\n"}).err, Not(HasSubstr("terminal")));
}

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

TEST_F(Advice, AnOptionThatReadsTheFileIsNamedWithoutZeroingIt) {
  const std::string run = "run --bounds a=0:10,b=0:10 " + budget, rows = "a;b\n1,5;2,5\n";
  const CommandResult delimiter = jme(run, {.input = rows});
  EXPECT_THAT(delimiter.err, HasSubstr("use --delimiter semicolon"));
  const CommandResult decimal = jme(run + "--delimiter semicolon", {.input = rows});
  EXPECT_THAT(decimal.err, HasSubstr("use --decimal comma"));
  EXPECT_THAT(decimal.err, Not(HasSubstr("--on-bad-row")));
  EXPECT_THAT(decimal.err, Not(HasSubstr("--columns")));
  const CommandResult read =
      jme(run + "--delimiter semicolon --decimal comma --insecure-test-seed 1", {.input = rows});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(read.printed_releases(),
            jme(run + "--insecure-test-seed 1", {.input = "a,b\n1.5,2.5\n"}).printed_releases());
  expect_refused(jme(run + "--decimal point,comma", {.input = rows}), 2,
                 "decimal = point,comma: must be point or comma");
}

TEST_F(Advice, FilesOfOtherFormatsAreNamed) {
  using namespace std::string_literals;
  const std::string run = "run --bounds a=0:10,b=0:10 " + budget;
  expect_refused(jme(run + file("t.parquet", "PAR1\x15\x04\x15"s)), 3,
                 "t.parquet: the input is a Parquet file");
  expect_refused(jme(run + file("t.xlsx", "PK\x03\x04\x14\0"s)), 3, "save the sheet as CSV UTF-8");
  const CommandResult numbered =
      jme("run --no-header --bounds 1=0:1,2=0:1 " + budget, {.input = "\xff\xfe" + "1\0,\0002\0\n\0"s});
  EXPECT_THAT(numbered.err, HasSubstr("text in UTF-16, not text in UTF-8: convert it with iconv"));
  EXPECT_THAT(numbered.err, Not(HasSubstr("--on-bad-row")));
}

}  // namespace
}  // namespace jme::test::advice_tests
