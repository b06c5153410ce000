#include <cmath>
#include <locale>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "data/sample_file.hpp"

namespace jme {
namespace {

using testing::complaint_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Rows;
using testing::rows_of;
using testing::SampleDirectory;

TEST(Csv, GivesTheColumnsOfItsHeader) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "a, b ,\"c d\"\n1,2,3\n4,5,6\n"), {});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"a", "b", "c d"}));
  EXPECT_EQ(testing::all_rows(reader), (Rows{{1, 2, 3}, {4, 5, 6}}));
}

TEST(Csv, ReadsTheSameWhateverTheLineEndsAndTheMark) {
  const Rows expected = {{1, 2}, {3, 4}};
  for (const std::string end : {"\n", "\r\n"})
    for (const std::string mark : {"", "\xef\xbb\xbf"})
      for (const std::string& last : {std::string(), end}) {
        EXPECT_EQ(rows_of(mark + "a,b" + end + "1,2" + end + "3,4" + last), expected);
        EXPECT_EQ(rows_of(mark + "1,2" + end + "3,4" + last, {.width = 2, .header = false}), expected);
      }
}

TEST(Csv, TakesColumnsInTheOrderAskedAndJudgesOnlyThem) {
  const std::string content = "when,x,note,y\nMonday,1,,2\n\"Tues,day\",3,\"a \"\"b\"\"\nc\",4\n";
  const auto quoted = Records::quoted;
  EXPECT_EQ(rows_of(content, {.records = quoted, .columns = {"y", "x"}}), (Rows{{2, 1}, {4, 3}}));
  EXPECT_EQ(rows_of(content, {.records = quoted, .columns = {"4", "2"}}), (Rows{{2, 1}, {4, 3}}));
}

TEST(Csv, QuotedNumbersAreNumbers) {
  EXPECT_EQ(rows_of("a,b\n\"1.5\", 2 \n\" 3\" ,\"4\"\n"), (Rows{{1.5, 2}, {3, 4}}));
}

TEST(Csv, AQuoteInsideAnUnquotedCellIsACharacter) {
  EXPECT_EQ(rows_of("size,x\n5\" pipe,1\n6\",2\n", {.columns = {"x"}}), (Rows{{1}, {2}}));
}

TEST(Csv, DelimiterMayBeAnyCharacterThatNumbersLack) {
  for (const char delimiter : {';', '\t', '|', ' ', ':', 'x', '\xa7'}) {
    const std::string d(1, delimiter);
    EXPECT_EQ(
        rows_of(
            "a" + d + "b\n1" + d + "2\n",
            {.columns = {"1", "2"}, .header = false, .delimiter = delimiter, .on_bad_row = OnBadRow::zero}),
        (Rows{{0, 0}, {1, 2}}))
        << delimiter;
  }
  for (const char delimiter : {'"', '\n', '\r', '\0', '0', '.', '-', '+', 'e', 'E'})
    EXPECT_THAT(complaint_of<InvalidParameter>("a,b\n1,2\n", {.delimiter = delimiter}),
                HasSubstr("delimiter: must not be"));
}

TEST(Csv, TsvMeansTabs) {
  EXPECT_EQ(rows_of("a\tb\n1\t2\n", {}, "s.tsv"), (Rows{{1, 2}}));
}

TEST(Csv, WithoutHeaderColumnsAreNumbered) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "1,2,3\n4,5,6\n"), {.columns = {"3", "1"}, .header = false});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"3", "1"}));
  EXPECT_EQ(testing::all_rows(reader), (Rows{{3, 1}, {6, 4}}));
}

TEST(Csv, AHeaderOfNumbersIsTakenForAMissingOne) {
  EXPECT_EQ(complaint_of("1.5,2,\n3,4,5\n"),
            "s.csv:1: the header has a number for a name: if the file has no header, use no-header");
  // One number among the names taken is enough: a row with a missing cell would pass for a header otherwise.
  EXPECT_THAT(complaint_of("NA,0.7\n3,4\n"), HasSubstr("use no-header"));
  EXPECT_THAT(complaint_of("smith,41.5,7\n3,4,5\n", {.columns = {"2", "3"}}), HasSubstr("use no-header"));
  EXPECT_THAT(complaint_of("0.7,0.7\n3,4\n"), Not(HasSubstr("0.7")));
  EXPECT_EQ(rows_of("2013,x\n3,4\n", {.columns = {"x"}}), (Rows{{4}}));
  EXPECT_EQ(rows_of("2013,x\n3,4\n", {.columns = {"2013"}}), (Rows{{3}}));  // asked for by that name
}

TEST(Csv, NamesLinesAndColumnsOfBadCellsButNeverTheirContent) {
  const std::string head = "temp,co\n1,2\n";
  EXPECT_EQ(complaint_of(head + "3,\n"), "s.csv:3: column co: missing value");
  EXPECT_EQ(complaint_of(head + " ,8675309\n"), "s.csv:3: column temp: missing value");
  EXPECT_EQ(complaint_of(head + "\"\",8675309\n"), "s.csv:3: column temp: missing value");
  EXPECT_EQ(complaint_of(head + "3,8675309z\n"), "s.csv:3: column co: not a number");
  EXPECT_EQ(complaint_of(head + "3,\"86\n75309\"\n", {.records = Records::quoted}),
            "s.csv:3: column co: not a number");
  EXPECT_EQ(complaint_of(head + "NaN,8675309\n"), "s.csv:3: column temp: not a finite number");
  EXPECT_EQ(complaint_of(head + "-inf,8675309\n"), "s.csv:3: column temp: not a finite number");
  EXPECT_EQ(complaint_of(head + "8675309e400,1\n"),
            "s.csv:3: column temp: number too large for double precision");
  EXPECT_EQ(complaint_of(head + "8675309\n"), "s.csv:3: has 1 column, the header has 2");
  EXPECT_EQ(complaint_of(head + "8675309,1,2\n"), "s.csv:3: has 3 columns, the header has 2");
  EXPECT_EQ(complaint_of(head + "\"8675309\"x,1\n"),
            "s.csv:3: text between a closing quote and the delimiter");
  EXPECT_EQ(complaint_of("1,2\n8675309\n", {.width = 2, .header = false}),
            "s.csv:2: has 1 column, 2 are needed");
  EXPECT_EQ(complaint_of("1,2\n8675309\n", {.columns = {"2"}, .header = false}),
            "s.csv:2: has 1 column, 2 are needed");
  const std::string more =
      "s.csv:2: has 4 columns, 2 are needed: where every record has more, say so with width N";
  EXPECT_EQ(complaint_of("1,2\n8675309,1,,\n", {.columns = {"2"}, .header = false}), more);
  EXPECT_EQ(complaint_of("1,2\n8675309,1,,\n", {.width = 2, .header = false}), more);
}

TEST(Csv, AcceptsEveryFiniteNumber) {
  EXPECT_EQ(rows_of("a,b\n1e308,5e-324\n-1e-310,1e-400\n"), (Rows{{1e308, 5e-324}, {-1e-310, 0}}));
}

TEST(Csv, LineNumbersCountTheLinesInsideQuotes) {
  EXPECT_EQ(complaint_of("a,b\n\"x\ny\nz\",1\nw,?\n", {.records = Records::quoted, .columns = {"b"}}),
            "s.csv:5: column b: not a number");
}

TEST(Csv, BadRowsBecomeZeroWhereAskedAndAreCounted) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "a,b\n1,2\n3\n4,x\n5,6\n,\n\"7\"8,9\n"),
                   {.on_bad_row = OnBadRow::zero});
  std::vector<double> row(2);
  std::vector<bool> bad;
  Rows rows;
  std::vector<std::size_t> lines;
  while (reader.next(row)) {
    rows.push_back(row);
    bad.push_back(reader.is_bad());
    lines.push_back(reader.line());
  }
  EXPECT_EQ(rows, (Rows{{1, 2}, {0, 0}, {0, 0}, {5, 6}, {0, 0}, {0, 0}}));
  EXPECT_EQ(bad, (std::vector<bool>{false, true, true, false, true, true}));
  EXPECT_EQ(lines, (std::vector<std::size_t>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(reader.bad_rows(), 4u);
  EXPECT_FALSE(reader.next(row));
  EXPECT_FALSE(reader.is_bad());
}

TEST(Csv, FilesWithoutRowsAreRefused) {
  for (const std::string content : {"", "\n", "\r\n \n", "\xef\xbb\xbf", "a,b", "a,b\n", "\n\na,b\r\n"})
    EXPECT_EQ(complaint_of(content), "s.csv: has no rows");
  EXPECT_EQ(complaint_of("", {.width = 1, .header = false}), "s.csv: has no rows");
}

TEST(Csv, FilesThatCannotBeOpenedSayWhy) {
  const SampleDirectory directory;
  const auto open = [](const std::string& path) { RowReader reader(path, {}); };
  const std::string missing = directory.path("none.csv");
  EXPECT_THAT([&] { open(missing); },
              ::testing::ThrowsMessage<DataError>(missing + ": cannot be opened: No such file or directory"));
  EXPECT_THAT([&] { open(directory.path("")); },
              ::testing::ThrowsMessage<DataError>(HasSubstr("is a directory")));
}

TEST(Csv, WithoutAHeaderTheColumnsAreDeclaredAndNoRowDecidesAboutThem) {
  const InputOptions named = {.columns = {"1", "2"}, .header = false, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(rows_of("1,2,9\n3,4\n5\n6,7\n", named), (Rows{{0, 0}, {3, 4}, {0, 0}, {6, 7}}));
  InputOptions wide = named;
  wide.width = 3;
  EXPECT_EQ(rows_of("1,2,9\n3,4\n6,7,\n", wide), (Rows{{1, 2}, {0, 0}, {6, 7}}));
  const InputOptions two = {.width = 2, .header = false, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(rows_of("1,2,9\n3,4\n5\n6,7\n", two), (Rows{{0, 0}, {3, 4}, {0, 0}, {6, 7}}));
  for (const std::string first :
       {"oops", "\"", "1", "1,2,3,4", "", "{\"1\":1}", "[1,2]", "\x1f\x8b", "\xff\xfe"})
    for (const InputOptions& options : {named, two})
      EXPECT_EQ(rows_of(first + "\n3,4\n5,6\n", options).at(2), (std::vector<double>{5, 6})) << first;

  const auto refused = [](InputOptions options) {
    options.header = false;
    return complaint_of<InvalidParameter>("1,2\n3,4\n", options);
  };
  EXPECT_EQ(
      refused({}),
      "columns: must be given (or bounds, or dimension) where the input has no header: no row decides which "
      "columns there are");
  EXPECT_THAT(refused({.columns = {"a"}}), HasSubstr("columns: must be numbers from 1"));
  EXPECT_THAT(refused({.columns = {"1", "0"}}), HasSubstr("columns: must be numbers from 1"));
  EXPECT_THAT(refused({.columns = {"3"}, .width = 2}), HasSubstr("columns: must be numbers from 1 to 2"));
  EXPECT_EQ(refused({.columns = {"2", "2"}}), "columns: column 2 is chosen twice");
  EXPECT_EQ(refused({.columns = {"2", "02"}}), "columns: column 02 is chosen twice");
}

TEST(Csv, ABrokenHeaderIsAnErrorEvenWhereBadRowsAreForgiven) {
  using namespace std::string_literals;
  const InputOptions forgiving = {.on_bad_row = OnBadRow::zero};
  EXPECT_EQ(complaint_of("a,b\0\n1,2\n"s, forgiving),
            "s.csv:1: the header contains a NUL byte: binary or compressed data (or UTF-16), not text");
  EXPECT_THAT(complaint_of("\xff\xfe"s + "a\0,\0b\0\n\0"s, forgiving), HasSubstr("UTF-16"));
  EXPECT_THAT(complaint_of("\x89PNG\r\n\x1a\n....", forgiving), HasSubstr("not UTF-8 text"));
  EXPECT_THAT(complaint_of("a,b\x01\n1,2\n", forgiving), HasSubstr("not UTF-8 text"));
  EXPECT_THAT(complaint_of("{\"a\":1}\n{\"a\":2}\n", forgiving), HasSubstr("use format ndjson"));
  EXPECT_THAT(complaint_of("\x1f\x8b\x08\n1\n", forgiving), HasSubstr("use compression gzip"));
  EXPECT_THAT(complaint_of("\xfd"s + "7zXZ\n1\n", forgiving), HasSubstr("use compression xz"));
  EXPECT_THAT(complaint_of("a,\"b\"c\n1,2\n", forgiving), HasSubstr("header"));
  EXPECT_THAT(complaint_of("abcdefg\n1\n", {.longest_record = 6}),
              HasSubstr("s.csv:1: the header is longer than 6 bytes"));
}

TEST(Csv, RowsBeforeBrokenStructureAreGiven) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", std::string("a\n1\n2\n\0\n", 8)), {});
  std::vector<double> row(1);
  EXPECT_TRUE(reader.next(row));
  EXPECT_TRUE(reader.next(row));
  EXPECT_EQ(row[0], 2.0);
  EXPECT_THROW(reader.next(row), DataError);
  EXPECT_THROW(reader.next(row), DataError);  // and the reader does not go on after it
}

TEST(Csv, UnknownRepeatedAndAmbiguousColumnsAreRefused) {
  const std::string content = "temp,co,co,7\n1,2,3,4\n";
  EXPECT_EQ(complaint_of<InvalidParameter>(content, {.columns = {"tmp"}}),
            "columns: there is no column tmp: some of the 4 columns have a number for a name, as in a file "
            "without a header");
  EXPECT_EQ(complaint_of<InvalidParameter>("temp,,co\n1,2,3\n", {.columns = {"tmp"}}),
            "columns: there is no column tmp: among the 3 columns are temp, co");
  EXPECT_EQ(
      complaint_of("temp,co\rAnn,0.5\rBob,0.7\r", {.columns = {"tmp"}}),
      "s.csv:1: the header has a carriage return inside: lines must end with a line feed, or with both");
  EXPECT_EQ(complaint_of<InvalidParameter>("a,b\n1,2\n", {.columns = {"c"}}),
            "columns: there is no column c: there are a, b");
  EXPECT_THAT(complaint_of<InvalidParameter>(content, {.columns = {"5"}}), HasSubstr("there is no column 5"));
  EXPECT_THAT(complaint_of<InvalidParameter>(content, {.columns = {"0"}}), HasSubstr("there is no column 0"));
  EXPECT_EQ(complaint_of<InvalidParameter>(content, {.columns = {"temp", "1"}}),
            "columns: column 1 is chosen twice");
  EXPECT_EQ(complaint_of(content, {.columns = {"co"}}),
            "s.csv:1: two columns are named co: choose one by its number");
  EXPECT_EQ(complaint_of(content), "s.csv:1: two of the columns have the same name: co");
  EXPECT_EQ(rows_of(content, {.columns = {"temp", "3"}}), (Rows{{1, 3}}));
  EXPECT_EQ(rows_of(content, {.columns = {"7"}}), (Rows{{4}}));  // a name goes before a number
}

TEST(Csv, AFirstRowMistakenForAHeaderIsNotShown) {
  const std::string message = complaint_of<InvalidParameter>("8675309,Monday\n1,2\n", {.columns = {"x"}});
  EXPECT_THAT(message, HasSubstr("there is no column x"));
  EXPECT_THAT(message, Not(HasSubstr("8675309")));
}

TEST(Csv, LinesOfTenMegabytesAreRead) {
  std::string wide = "a";
  std::string ones = "1";
  for (int i = 2; i <= 1'000'000; ++i) {
    wide += fmt::format(",a{}", i);
    ones += ",1.2345678";
  }
  ASSERT_GE(ones.size(), 9'900'000u);
  const Rows rows = rows_of(wide + "\n" + ones + "\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].size(), 1'000'000u);
  EXPECT_EQ(rows[0].back(), 1.2345678);

  const std::string note(10'000'000, 'z');
  EXPECT_EQ(rows_of("a,note\n1,\"" + note + "\n" + note + "\"\n2,x\n",
                    {.records = Records::quoted, .columns = {"a"}}),
            (Rows{{1}, {2}}));
  EXPECT_EQ(complaint_of("a,b\n1," + note + "\n"), "s.csv:2: column b: not a number");
  EXPECT_EQ(complaint_of("a,b\n1" + std::string(10'000'000, ',') + "\n"),
            "s.csv:2: has 10000001 columns, the header has 2");
}

TEST(Csv, AQuotedCellOfAMillionLinesTakesLinearTime) {
  std::string content = "a,b\n1,\"";
  for (int i = 0; i < 1'000'000; ++i) content += "\"\"x\n";
  EXPECT_EQ(rows_of(content + "\"\n2,3\n", {.records = Records::quoted, .columns = {"a"}}), (Rows{{1}, {2}}));
}

TEST(Csv, NeedsRoomForTheRow) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "a,b\n1,2\n"), {});
  std::vector<double> row(3);
  EXPECT_THROW(reader.next(row), InvalidParameter);
}

TEST(Csv, PlaceAndProgressFollowTheReader) {
  const SampleDirectory directory;
  std::string content = "a\n";
  for (int i = 0; i < 500'000; ++i) content += "1.25\n";
  const std::string path = directory.write("s.csv", content);
  RowReader reader(path, {});
  EXPECT_EQ(reader.place(), path);
  std::vector<double> row(1);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(reader.place(), path + ":2");
  double last = reader.progress().value();
  EXPECT_LT(last, 0.5);
  while (reader.next(row)) {
    const double now = reader.progress().value();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(reader.line(), 500'001u);
}

// Writes numbers in every allowed form and reads them back.
TEST(Csv, GeneratedFilesAreReadBackExactly) {
  std::mt19937_64 random(4);
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  for (int file = 0; file < 300; ++file) {
    const std::size_t columns = 1 + random() % 12;
    const std::string delimiter(1, std::vector<char>{',', ';', '\t', '|'}[random() % 4]);
    const std::string end = one_in(2) ? "\r\n" : "\n";
    const bool notes = one_in(2);  // a last column of text, which is not taken
    std::string content;
    std::vector<std::string> taken;
    for (std::size_t j = 0; j < columns; ++j) {
      taken.push_back(fmt::format("c{}{}", j, one_in(3) ? delimiter + " \"q\"" : ""));
      std::string escaped;
      for (const char c : taken.back()) escaped += c == '"' ? std::string("\"\"") : std::string(1, c);
      content += (j > 0 ? delimiter : "") + "\"" + escaped + "\"";
    }
    if (delimiter == "\t")
      for (std::string& name : taken) std::replace(name.begin(), name.end(), '\t', ' ');
    content += (notes ? delimiter + "notes" : "") + end;
    Rows expected;
    const std::size_t rows = 1 + random() % 50;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<double> row;
      for (std::size_t j = 0; j < columns; ++j) {
        const double x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160);
        const double value = one_in(2) ? std::round(x * 100) / 100 : -x;
        row.push_back(value);
        std::string text = fmt::format("{:.17g}", value);
        if (one_in(4)) text = " " + text + "  ";
        if (one_in(4)) text = "\"" + text + "\"";
        if (j > 0) content += delimiter;
        content += text;
      }
      if (notes)
        content += delimiter + (one_in(2) ? "plain 5\" text" : "\"a \"\"b" + delimiter + end + "c\"");
      if (i + 1 < rows || one_in(2)) content += end;
      expected.push_back(row);
    }
    const InputOptions options = {.records = Records::quoted, .columns = taken, .delimiter = delimiter[0]};
    ASSERT_EQ(rows_of(content, options), expected) << content;
  }
}

struct DecimalComma : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
};

TEST(Csv, IsReadTheSameInAnyLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  EXPECT_EQ(rows_of("a;b\n1.5;2\n", {.delimiter = ';'}), (Rows{{1.5, 2}}));
  EXPECT_THAT(complaint_of("a;b\n1,5;2\n", {.delimiter = ';'}), HasSubstr("s.csv:2: column a: not a number"));
  std::locale::global(before);
}

TEST(Csv, AnErrorSaysTheRowOfTheStreamAndTheColumn) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "a,b\n1,2\n3,x\n"), {});
  std::vector<double> row(2);
  ASSERT_TRUE(reader.next(row));
  for (int repeated = 0; repeated < 2; ++repeated) {
    try {
      static_cast<void>(reader.next(row));
      ADD_FAILURE() << "the row was taken";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("s.csv:3: column b"));
      EXPECT_EQ(error.row(), 2U);
      EXPECT_EQ(error.column(), 2U);
    }
  }
  RowReader narrow(directory.write("t.csv", "a,b\n1\n"), {});
  try {
    static_cast<void>(narrow.next(row));
    ADD_FAILURE() << "the row was taken";
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 1U);
    EXPECT_FALSE(error.column());
  }
}

}  // namespace
}  // namespace jme
