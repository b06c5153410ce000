// What a run says about rows that may not count: those beyond a person's limit, and those that cannot be
// used.
#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test::counted_rows_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string two_people = "who,when,x\na,1767225600,1\na,1767225601,2\nb,1767225602,3\n";
const std::string begin = "run --bounds x=0:10 --insecure-test-seed 1 --sigma 0.01 ";
const std::string in_rows = begin + "--rows 3 --every 3 ";
const std::string in_slots = begin + "--time when --every 1h --from 2026-01-01 --until 2026-01-02 ";

class CountedRows : public InDirectory {
 protected:
  [[nodiscard]] std::string input() const { return file("rows.csv", two_people); }
  [[nodiscard]] std::string page_of(const std::string& arguments) const {
    const std::string report = path("report.html");
    const CommandResult result = jme(arguments + input() + " --report " + report);
    EXPECT_EQ(result.code, 0) << result.err;
    return read_text(report);
  }
};

std::string statement_of(const std::string& arguments) {
  const CommandResult result = jme(arguments + "--dry-run --json");
  EXPECT_EQ(result.code, 0) << result.err;
  return result.json()["privacy"]["statement"];
}

TEST_F(CountedRows, AreNamedWithTheLimitOfAPersonWhereverTheyAreShown) {
  const std::string limit = "rows that count (at most 1 per person)";
  const std::string page = page_of(in_rows + "--columns x --person who --rows-per-person 1 ");
  EXPECT_THAT(page, HasSubstr(limit + ", counted privately"));
  EXPECT_THAT(page, HasSubstr("all rows so far, as far as they count (at most 1 per person)"));
  EXPECT_THAT(page, Not(HasSubstr("rows that exist")));
  EXPECT_THAT(page, HasSubstr("about the rows that count (at most 1 per person), not about all rows"));
  EXPECT_THAT(page_of(in_rows + "--columns x --private-count "),
              HasSubstr("rows that exist, counted privately"));
  EXPECT_THAT(page_of(in_slots + "--person who --rows-per-person 3/day "),
              HasSubstr("rows that count (at most 3 per person and day), counted privately"));
  EXPECT_THAT(page_of(in_slots + "--person who --rows-per-person 3/6h:5 "),
              HasSubstr("rows that count (at most 3 per person and window of 6h, 5 in all)"));
  EXPECT_THAT(page_of(in_slots + "--missing observed --person who --rows-per-person 1/slot "),
              HasSubstr("cells there (at most 1 per person and hour)"));
}

TEST_F(CountedRows, AreWhatTheStatementIsAbout) {
  EXPECT_THAT(statement_of(in_rows + "--person who --rows-per-person 2 "),
              HasSubstr("about the rows that count (at most 2 per person), not about all rows"));
  EXPECT_THAT(statement_of(in_slots + "--person who --rows-per-person 3/day "),
              HasSubstr("about the rows that count (at most 3 per person and day), not about all rows"));
  EXPECT_THAT(statement_of(in_rows), Not(HasSubstr("rows that count")));
}

class BadRows : public CountedRows {};

TEST_F(BadRows, EndNoRunByDefaultWhereCountsArePrivate) {
  const std::string bad = "who,when,x\na,1767225600,1\nbroken\na,1767225601,2\n";
  const std::string good = "who,when,x\na,1767225600,1\nx,,\na,1767225601,2\n";
  for (const std::string& private_counts :
       {in_rows + "--columns x --private-count ", in_rows + "--columns x --missing observed ",
        in_rows + "--columns x --person who --rows-per-person 2 ", in_slots}) {
    const CommandResult result = jme(private_counts + file("bad.csv", bad));
    ASSERT_EQ(result.code, 0) << private_counts << result.err;
    EXPECT_EQ(result.lines().front()["configuration"]["on_bad_row"], "zero");
    EXPECT_EQ(result.out, jme(private_counts + file("good.csv", good)).out) << private_counts;
    EXPECT_EQ(result.out, jme(private_counts + "--on-bad-row zero " + path("bad.csv")).out);
    EXPECT_EQ(jme(private_counts + "--on-bad-row fail " + path("bad.csv")).code, 3);
  }
  EXPECT_EQ(jme(in_rows + "--columns x " + path("bad.csv")).code, 3);
}

TEST_F(BadRows, AreInTheStatementWhereCountsArePrivate) {
  const std::string goes_on = "A record that cannot be used is a row without cells, and the run goes on.";
  const std::string ends = "A record that cannot be used ends the run";
  for (const std::string& private_counts : {in_rows + "--private-count ", in_slots}) {
    EXPECT_THAT(statement_of(private_counts), HasSubstr(goes_on));
    EXPECT_THAT(statement_of(private_counts), Not(HasSubstr("ends the run")));
    EXPECT_THAT(statement_of(private_counts + "--on-bad-row fail "), HasSubstr(ends));
    EXPECT_THAT(statement_of(private_counts + "--missing fail "),
                HasSubstr(goes_on + " A record with a missing cell ends the run"));
  }
  EXPECT_THAT(statement_of(in_rows), Not(HasSubstr("A record that cannot be used")));
}

// As a settings file it is the same run again.
TEST_F(BadRows, AreLeftToTheOtherSettingsByAPrintedConfiguration) {
  const CommandResult printed = jme(in_rows + "--private-count --print-config");
  EXPECT_FALSE(printed.json().contains("on_bad_row"));
  EXPECT_EQ(jme(in_rows + "--on-bad-row zero --print-config").json()["on_bad_row"], "zero");
}

}  // namespace
}  // namespace jme::test::counted_rows_tests
