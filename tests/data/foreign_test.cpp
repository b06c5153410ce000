// Input that is not what the options say: other formats, delimiters and decimal signs.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>

#include "data/row_reader.hpp"
#include "sample_file.hpp"

namespace jme::foreign_tests {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

class Foreign : public ::testing::Test {
 protected:
  /// What a reader of this text complains of before or at its first row, and what it advises.
  DataError complaint_of(std::string_view text, const InputOptions& options = {},
                         const std::string& name = "f.csv") {
    try {
      RowReader reader(directory_.write(name, text), options);
      std::vector<double> row(reader.dimension());
      while (reader.next(row)) {
      }
    } catch (const DataError& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was complained of";
    return DataError("");
  }
  /// All cells, row after row.
  std::vector<double> cells_of(std::string_view text, const InputOptions& options) {
    RowReader reader(directory_.write("f.csv", text), options);
    std::vector<double> row(reader.dimension()), cells;
    while (reader.next(row)) cells.insert(cells.end(), row.begin(), row.end());
    return cells;
  }

  jme::testing::SampleDirectory directory_;
};

struct Sample {
  std::string beginning, name, remedy;
};

const std::vector<Sample> samples{
    {"PAR1\x15\x04\x15\x20"s, "a Parquet file", "duckdb -csv"},
    {"PK\x03\x04\x14\0\x06\0"s, "Excel workbooks (.xlsx)", "save the sheet as CSV UTF-8"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"s, "Excel workbook (.xls)", "save the sheet as CSV UTF-8"},
    {"\xff\xfe"s + "a\0,\0b\0\n\0"s, "text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"s + "\0a\0,\0b\0\n"s, "text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
    {"SQLite format 3\0\x10\0"s, "a SQLite database", "sqlite3 -header -csv"},
    {"ARROW1\0\0\xff"s, "an Arrow file", "jme.Stream"},
    {"\x28\xb5\x2f\xfd\0"s, "zstd data", "zstd -dc"},
};

TEST_F(Foreign, FormatsAreRecognisedByTheirFirstBytes) {
  for (const Sample& sample : samples) {
    for (const bool line_ends : {true, false}) {
      const std::string text = sample.beginning + (line_ends ? "\n1,2\n" : "");
      for (const DataError& error :
           {complaint_of(text), complaint_of(text, {.columns = {"1", "2"}, .header = false}),
            complaint_of(text, {.columns = {"a"}}, "f.ndjson")}) {
        EXPECT_THAT(error.what(), HasSubstr(sample.name));
        EXPECT_THAT(error.what(), HasSubstr(sample.remedy));
      }
    }
  }
}

// Later records, and text that only begins with the letters of a format, are what they always were.
TEST_F(Foreign, FormatsAreNotSeenInText) {
  EXPECT_EQ(cells_of("PAR1,PK\n1,2\n", {}), (std::vector<double>{1, 2}));
  EXPECT_EQ(cells_of("SQLite format 3,ARROW1\n1,2\n", {}), (std::vector<double>{1, 2}));
  const InputOptions forgiving{.on_bad_row = OnBadRow::zero};
  for (const Sample& sample : samples) {
    const InputOptions numbered{.columns = {"1", "2"}, .header = false, .on_bad_row = OnBadRow::zero};
    EXPECT_EQ(cells_of(sample.beginning.substr(0, 4) + "\n1,2\n", numbered),
              (std::vector<double>{0, 0, 1, 2}))
        << "the first record is one bad row: " << sample.name;
    EXPECT_EQ(cells_of("a,b\n" + sample.beginning.substr(0, 4) + "\n1,2\n", forgiving),
              (std::vector<double>{0, 0, 1, 2}));
  }
}

TEST_F(Foreign, DelimitersAreNamedWhereTheyWouldCutTheHeader) {
  const auto advised = [&](const std::string& text, const InputOptions& options = {}) {
    return complaint_of(text, options).remedy().value_or(Remedy{}).words();
  };
  EXPECT_EQ(advised("a;b\n1;2\n"), "delimiter semicolon");
  EXPECT_EQ(advised("a\tb\n1\t2\n"), "delimiter tab");
  EXPECT_EQ(advised("a|b\n1|2\n"), "delimiter pipe");
  EXPECT_EQ(advised("a,b\n1,2\n", {.delimiter = ';'}), "delimiter ,");
  EXPECT_EQ(advised("a;b\n1;2\n", {.columns = {"a"}}), "delimiter semicolon");
  EXPECT_EQ(advised("\"a\";\"b\"\n1;2\n"), "delimiter semicolon");
  EXPECT_EQ(cells_of("\"a;b\"\n1\n2\n", {}), (std::vector<double>{1, 2})) << "a quoted name";
  EXPECT_THAT(complaint_of("a;b\n1;2\n").what(),
              HasSubstr("f.csv:1: the header is one name for this delimiter"));
  EXPECT_EQ(cells_of("a;b\n1\n2\n", {.columns = {"a;b"}}), (std::vector<double>{1, 2}))
      << "asked for by its name";
}

TEST_F(Foreign, DelimitersAreNamedWhereTheyWouldGiveARowItsCells) {
  const InputOptions numbered{.columns = {"1", "2"}, .header = false};
  const DataError error = complaint_of("1;2\n", numbered);
  EXPECT_EQ(error.remedy(), (Remedy{"delimiter", "semicolon"}));
  EXPECT_THAT(error.what(), HasSubstr("has 1 column"));
  EXPECT_FALSE(complaint_of("1\n", numbered).remedy());
  EXPECT_EQ(complaint_of("a,b,c\n1;2;3\n").remedy(), (Remedy{"delimiter", "semicolon"}));
  EXPECT_FALSE(complaint_of("a,b,c\n1;2\n").remedy()) << "it would still be too short";
}

TEST_F(Foreign, DecimalCommasAreReadWhereTheyAreAskedFor) {
  const InputOptions comma{.delimiter = ';', .decimal = ',', .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(cells_of("a;b\n1,5;-0,25\n2;1e3\n1,5e-1;,5\n", comma),
            (std::vector<double>{1.5, -0.25, 2, 1000, 0.15, 0.5}));
  // A point could separate thousands or be a decimal point: neither is guessed.
  for (const char* cell : {"1.5", "1.234,5", "1,234,5", "1.234", ","}) {
    EXPECT_EQ(cells_of("a;b\n"s + cell + ";2\n", comma), (std::vector<double>{0, 0})) << cell;
  }
  EXPECT_EQ(cells_of("a,b\n\"1,5\",\"2,5\"\n", {.decimal = ','}), (std::vector<double>{1.5, 2.5}));
}

TEST_F(Foreign, DecimalCommasAreNamedWhereACellHasOne) {
  const DataError error = complaint_of("a;b\n1;2,5\n", {.delimiter = ';'});
  EXPECT_EQ(error.remedy(), (Remedy{"decimal", "comma"}));
  EXPECT_THAT(error.what(),
              HasSubstr("column b: not a number, for it has a comma: if that separates thousands"));
  EXPECT_FALSE(complaint_of("a;b\n1;x,5\n", {.delimiter = ';'}).remedy());
}

TEST_F(Foreign, DecimalCommasAreRefusedWhereTheyMeanNothingOrCellsCouldFallApart) {
  const auto field = [&](const InputOptions& options, const std::string& text) {
    try {
      cells_of(text, options);
    } catch (const InvalidParameter& error) {
      return error.field();
    }
    return "none"s;
  };
  EXPECT_EQ(field({.format = InputFormat::ndjson, .columns = {"a"}, .decimal = ','}, "{\"a\":1}\n"),
            "decimal");
  EXPECT_EQ(field({.columns = {"1"}, .header = false, .decimal = ','}, "1,5\n"), "decimal");
  EXPECT_EQ(field({.columns = {"1"}, .header = false, .delimiter = ';', .decimal = ','}, "1,5\n"), "none");
}

TEST_F(Foreign, DelimitersAndDecimalSignsHaveNames) {
  EXPECT_EQ(parse_delimiter("semicolon"), ';');
  EXPECT_EQ(parse_delimiter(";"), ';');
  EXPECT_EQ(parse_delimiter("pipe"), '|');
  EXPECT_EQ(parse_delimiter("tab"), '\t');
  EXPECT_EQ(parse_decimal("comma"), ',');
  EXPECT_EQ(parse_decimal("point"), '.');
  for (const char* text : {"", "ab", "\"", "\n"})
    EXPECT_THROW(static_cast<void>(parse_delimiter(text)), InvalidParameter) << text;
  EXPECT_THROW(static_cast<void>(parse_decimal("semicolon")), InvalidParameter);
}

TEST_F(Foreign, ColumnsOfTextAreThoseWithoutANumberSoFar) {
  const auto is_text = [&](const std::string& rows) {
    RowReader reader(directory_.write("t.csv", "a,b\n" + rows), {});
    reader.on_missing({OnMissing::fill, OnMissing::fill});
    std::vector<double> row(2);
    try {
      while (reader.next(row)) {
      }
    } catch (const DataError&) {
      return reader.is_bad_for_column_of_text();
    }
    return false;
  };
  EXPECT_TRUE(is_text("1,x\n"));
  EXPECT_TRUE(is_text("1,\n2,NA\n3,x\n"));
  EXPECT_FALSE(is_text("1,5\n2,\n3,x\n"));
  EXPECT_FALSE(is_text("1,inf\n"));
  EXPECT_FALSE(is_text("1\n"));
}

}  // namespace
}  // namespace jme::foreign_tests
