#include <optional>

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
  EXPECT_EQ(persons_of("1,ann,2\n1,bob\n1,eve,3,4\nx,joe,y\n", options), (Who{"ann", nobody, "eve", "joe"}));
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
