#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "data/sample_file.hpp"

namespace jme {
namespace {

using namespace std::string_literals;
using testing::complaint_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SampleDirectory;
using Who = std::vector<std::optional<std::string>>;

constexpr auto nobody = std::nullopt;

/// Whose records they are.
Who persons_of(std::string_view content, InputOptions options, const std::string& name = "s.csv") {
  options.on_bad_row = OnBadRow::zero;
  const SampleDirectory directory;
  RowReader reader(directory.write(name, content), options);
  Who persons;
  std::vector<double> row(reader.dimension());
  while (reader.next(row)) {
    const auto person = reader.person();
    persons.push_back(person ? std::optional(std::string(*person)) : nobody);
  }
  return persons;
}

TEST(Persons, ColumnIsNoDataColumnAndNeedsNoNumbers) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "x,who,y\n1,ann,2\n"), {.person = "who"});
  EXPECT_THAT(reader.columns(), ElementsAre("x", "y"));
  std::vector<double> row(2);
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row, ElementsAre(1, 2));
  EXPECT_EQ(reader.person(), "ann");
  EXPECT_THAT(complaint_of<InvalidParameter>("x,who\n1,ann\n", {.columns = {"x", "who"}, .person = "who"}),
              HasSubstr("person"));
  EXPECT_THAT(complaint_of<InvalidParameter>("x,who\n1,ann\n", {.person = "whom"}),
              HasSubstr("person: there is no column whom"));
  EXPECT_THAT(complaint_of<InvalidParameter>("1,2\n", {.person = "1", .header = false}),
              HasSubstr("columns"));
  EXPECT_THAT(complaint_of<InvalidParameter>("1,2\n", {.columns = {"2"}, .person = "who", .header = false}),
              HasSubstr("person"));
}

TEST(Persons, IdIsTheTextThatTheCellMeans) {
  const std::string content =
      "who,x\n7,1\n\"7\",1\n 7 ,1\n7.0,1\n\"a \"\"b\"\", c\",1\n\xff\xfe,1\n\" 7\",1\n";
  EXPECT_EQ(persons_of(content, {.person = "who"}),
            (Who{"7", "7", "7", "7.0", "a \"b\", c", "\xff\xfe", " 7"}));
}

TEST(Persons, MissingIdsAreNobodysAndNotOnePersonTogether) {
  EXPECT_EQ(persons_of("who,x\n,1\n\"\",1\nNA,1\n null ,1\n\nann,1\n", {.person = "who"}),
            (Who{nobody, nobody, nobody, nobody, nobody, "ann"}));
}

TEST(Persons, WhatIsInOtherCellsDoesNotChangeWhoseRecordItIs) {
  // The id comes first: nothing after it can move it.
  const std::string first =
      "who,x,y\nann,1,2\nann,?,2\nann,1\nann,1,2,3\nann,1,\"2\nann,\"1\"x,2\nann,,\nann\nann,\0,1\n"s;
  EXPECT_EQ(persons_of(first, {.person = "who"}), Who(9, "ann"));
  // A cell before it may hold a delimiter too many.
  const std::string last = "x,y,who\n1,2,ann\n?,2,ann\n1,ann\n1,2,bob,ann\n\"1\"x,2,ann\n1,\"2,ann\n";
  EXPECT_EQ(persons_of(last, {.person = "who"}), (Who{"ann", "ann", nobody, nobody, nobody, nobody}));
}

TEST(Persons, IdItselfMustBeWhole) {
  EXPECT_EQ(persons_of("who,x\n\"ann,1\n\"ann\"e,1\nan\0n,1\n\"ann\" ,1\n"s, {.person = "who"}),
            (Who{nobody, nobody, nobody, "ann"}));
}

TEST(Persons, RecordThatIsTooLongHasItsIdWhereThatComesFirst) {
  const std::string content =
      "who,x\nann," + std::string(200, '1') + "\n" + std::string(200, 'b') + ",1\neve,2\n";
  EXPECT_EQ(persons_of(content, {.person = "who", .longest_record = 100}), (Who{"ann", nobody, "eve"}));
  EXPECT_EQ(persons_of("x,who\n" + std::string(200, '1') + ",ann\n1,eve\n",
                       {.person = "who", .longest_record = 100}),
            (Who{nobody, "eve"}));
}

TEST(Persons, OfFilesWithoutAHeaderAreInANumberedColumn) {
  const InputOptions options{.columns = {"1", "3"}, .person = "2", .header = false};
  EXPECT_EQ(persons_of("1,ann,2\n1,bob\n1,eve,3,4\n1,kim,3,\nx,joe,y\n", options),
            (Who{"ann", nobody, nobody, nobody, "joe"}));
}

TEST(Persons, ADelimiterTooManyGivesTheRecordToNobody) {
  // Of the record `z,1` with the id last, only the number of cells tells that it is not p's.
  const std::string content = "1,2,mal\n1,2,p\nz,1,p,mal\nz,1,p,\n1,mal\n1,2,mal,\n";
  const Who persons{"mal", "p", nobody, nobody, nobody, nobody};
  InputOptions options{.columns = {"1", "2"}, .person = "3", .header = false};
  EXPECT_EQ(persons_of(content, options), persons);
  options.records = Records::quoted;
  EXPECT_EQ(persons_of(content, options), persons);
  options = {.columns = {"1", "2"}, .person = "3", .width = 3, .header = false, .delimiter = ';'};
  EXPECT_EQ(persons_of("1;2;mal\nz;1;p;mal\nz,1;p;mal\n", options), (Who{"mal", nobody, "mal"}));
  EXPECT_EQ(persons_of("x,y,who\n" + content, {.person = "who"}), persons);
  // With a width, cells that are not read may stand after the id: where it is in the middle.
  const InputOptions wide{.columns = {"1"}, .person = "2", .width = 3, .header = false};
  EXPECT_EQ(persons_of("1,mal,note\nz,p,mal,note\n1,mal\n", wide), (Who{"mal", nobody, nobody}));
  // The time is a cell as well.
  const InputOptions timed{.columns = {"1"}, .person = "2", .time = "3", .header = false};
  EXPECT_EQ(persons_of("1,mal,0\nz,p,0,mal\n1,p,0,mal,5\n", timed), (Who{"mal", nobody, nobody}));
}

TEST(Persons, AnElementTooManyInAnArrayGivesTheRecordToNobody) {
  const InputOptions options{.columns = {"1", "2"}, .person = "3"};
  EXPECT_EQ(
      persons_of("[1,2,\"mal\"]\n[\"z\",1,\"p\",\"mal\"]\n[[1,2],3,\"mal\"]\n[{\"a\":1},\"p\",\"mal\"]\n"
                 "[1,2,3,4]\n[1,[2,\"p\",\"mal\"]]\n[1,2,[\"p\"]]\n",
                 options, "s.ndjson"),
      (Who{"mal", nobody, "mal", "mal", nobody, nobody, nobody}));
}

TEST(Persons, AQuoteAroundAnIdInTheMiddleGivesTheRecordToNobody) {
  // What somebody writes into the cells beside the id makes it part of a quoted cell, and brings another id.
  const std::string around = "1,p,\" ,mal,\"\n", before = "\",mal,\",p,2\n", inside = "1,\",mal,\",2\n",
                    harmless = "\"1\",\"mal\",\"2\"\n";
  const Who nobodys{nobody, nobody, nobody, "mal"};
  const std::string content = around + before + inside + harmless;
  EXPECT_EQ(persons_of("x,who,y\n" + content, {.person = "who"}), nobodys);
  EXPECT_EQ(persons_of(content, {.columns = {"1", "3"}, .person = "2", .header = false}), nobodys);
  EXPECT_EQ(complaint_of("x,who,y\n" + around, {.person = "who"}),
            "s.csv:2: a delimiter inside quotes, by which a cell can pass for the person's: put that column "
            "first or last, or trust the quotes with records quoted");
  // Files of a CSV writer, and ids that no cell can move, may have such cells.
  const InputOptions trusted{.records = Records::quoted, .person = "who"};
  EXPECT_EQ(persons_of("note,who,x\n\"Smith, Ann\",ann,1\n", trusted), (Who{"ann"}));
  EXPECT_EQ(persons_of("note,x,who\n\"Smith, Ann\",1,ann\n", {.columns = {"x"}, .person = "who"}),
            (Who{"ann"}));
  EXPECT_EQ(persons_of("who,note,x\nann,\"Smith, Ann\",1\n", {.columns = {"x"}, .person = "who"}),
            (Who{"ann"}));
}

TEST(Persons, WhateverSomebodyWritesIntoOtherCellsIsTheirRecordOrNobodys) {
  // Every text of up to five of these bytes in each of two cells, before, around and after the id.
  const std::string_view bytes = ",\"p1 ";
  std::vector<std::string> cells{""};
  for (std::size_t from = 0, length = 0; length < 4; ++length) {
    const std::size_t end = cells.size();
    for (; from < end; ++from)
      for (const char byte : bytes) cells.push_back(cells[from] + byte);
  }
  const std::vector<std::string> other{"", "1", "\"", "\",p", ",\"", "p,\"", "\",p,\"", "p", ",p", "\"\""};
  const std::vector<std::string> writers{"{0},{1},me", "{0},me,{1}", "me,{0},{1}"};
  for (std::size_t place = 0; place < 3; ++place) {
    std::string content;
    for (const std::string& cell : cells) {
      for (const std::string& second : other)
        content += fmt::format(fmt::runtime(writers[2 - place]), cell, second) + '\n';
    }
    InputOptions options{.columns = {"1", "2", "3"}, .person = std::to_string(place + 1), .header = false};
    options.columns.erase(options.columns.begin() + static_cast<std::ptrdiff_t>(place));
    std::size_t own = 0;
    for (const auto& who : persons_of(content, options)) {
      ASSERT_TRUE(!who || *who == "me") << place << ' ' << *who;
      own += who ? 1 : 0;
    }
    EXPECT_GT(own, cells.size()) << "too few records say anything";
  }
}

TEST(Persons, MustBeInAColumnThatARecordHas) {
  EXPECT_THAT(complaint_of<InvalidParameter>("1,2,3\n",
                                             {.columns = {"1"}, .person = "4", .width = 3, .header = false}),
              HasSubstr("person: must be a number from 1 to 3, which is the width of a record"));
  EXPECT_THAT(
      complaint_of<InvalidParameter>("[1,2,3]\n", {.columns = {"1"}, .person = "4", .width = 3}, "s.ndjson"),
      HasSubstr("person: must be a number from 1 to 3, which is the width of a record"));
  EXPECT_THAT(
      complaint_of<InvalidParameter>("1,2,3\n", {.columns = {"1"}, .width = 3, .time = "4", .header = false}),
      HasSubstr("time: must be a number from 1 to 3"));
  EXPECT_EQ(persons_of("1,2,3\n1,2,3,mal\n", {.columns = {"1"}, .person = "4", .header = false}),
            (Who{nobody, "mal"}));
}

TEST(Persons, OfNdjsonAreTextOrNumbersAsTheyAreWritten) {
  const std::string content = R"({"who":7,"x":1}
{"x":1,"who":"7"}
{"x":1,"who":7.0 }
{"who":"\u0061nn","x":1}
{"who":null,"x":1}
{"who":true,"x":1}
{"who":["ann"],"x":1}
{"who":"","x":1}
{"x":1}
)";
  EXPECT_EQ(persons_of(content, {.columns = {"x"}, .person = "who"}, "s.ndjson"),
            (Who{"7", "7", "7.0", "ann", nobody, nobody, nobody, nobody, nobody}));
}

TEST(Persons, OfNdjsonDoNotDependOnOtherKeysWhereTheRecordIsJson) {
  const std::string content = R"({"x":"no number","who":"ann"}
{"x":1,"x":2,"who":"ann"}
{"x":{"who":"bob"},"who":"ann"}
{"who":"ann"}
{"who":"ann","x":1,"who":"bob"}
{"who":"ann","x":1
{"who":"ann","x":1} {"who":"bob"}
{"who":"ann","x":nonsense}
)";
  EXPECT_EQ(persons_of(content, {.columns = {"x"}, .person = "who"}, "s.ndjson"),
            (Who{"ann", "ann", "ann", "ann", nobody, nobody, nobody, nobody}));
  EXPECT_EQ(persons_of("[\"ann\",1]\n[\"ann\",\"x\"]\n[\"ann\"]\n[1,\"ann\"]\n",
                       {.columns = {"2"}, .person = "1"}, "s.ndjson"),
            (Who{"ann", "ann", "ann", "1"}));
  EXPECT_EQ(
      persons_of("[1,\"ann\"]\n[\"x\",\"ann\"]\n[\"ann\"]\n", {.columns = {"1"}, .person = "2"}, "s.ndjson"),
      (Who{"ann", "ann", nobody}));
}

TEST(Persons, AreNotInNpyFiles) {
  EXPECT_THAT(complaint_of<InvalidParameter>("", {.person = "1"}, "s.npy"), HasSubstr("person"));
}

}  // namespace
}  // namespace jme
