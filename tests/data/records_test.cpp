#include <gmock/gmock.h>

#include "data/sample_file.hpp"

// What a record is, and that each is one row.

namespace jme {
namespace {

using testing::complaint_of;
using ::testing::HasSubstr;
using testing::Rows;
using testing::rows_of;
using testing::SampleDirectory;

TEST(Csv, ABlankLineIsARowWithEveryCellMissingWhereverItStands) {
  const InputOptions zero = {.on_bad_row = OnBadRow::zero};
  EXPECT_EQ(rows_of("a,b\n\n1,2\n\n \n3,4\n\n", zero),
            (Rows{{0, 0}, {1, 2}, {0, 0}, {0, 0}, {3, 4}, {0, 0}}));
  EXPECT_EQ(rows_of("a\n1\n\n3\n\n\n", zero), (Rows{{1}, {0}, {3}, {0}, {0}}));
  EXPECT_EQ(rows_of("\n1,2\n\n", {.width = 2, .header = false, .on_bad_row = OnBadRow::zero}),
            (Rows{{0, 0}, {1, 2}, {0, 0}}));
  EXPECT_EQ(rows_of("\n\na,b\n1,2\n"), (Rows{{1, 2}}));  // before the header there is no row yet
  for (const std::string content : {"a,b\n1,2\n\n", "a,b\n1,2\n\n3,4\n", "a,b\n1,2\n \r\n"})
    EXPECT_EQ(complaint_of(content), "s.csv:3: blank line, a row with every cell missing");
}

TEST(Csv, AnErrorCarriesTheSettingThatWouldReadTheFile) {
  struct Case {
    std::string name, content;
    Remedy remedy;
  };
  const Remedy quoted{.field = "records", .value = "quoted"};
  for (const auto& [name, content, remedy] :
       {Case{"s.csv", "{\"a\":1}\n", {.field = "format", .value = "ndjson"}},
        {"s.csv", "\x1f\x8b\x08\n1\n", {.field = "compression", .value = "gzip"}},
        {"s.csv", "\xfd\x37zXZ\n1\n", {.field = "compression", .value = "xz"}},
        {"s.csv.gz", "a\n1\n", {.field = "compression", .value = "none"}},
        {"s.csv.xz", "a\n1\n2\n3\n4\n5\n6\n7\n", {.field = "compression", .value = "none"}},
        {"s.csv", "0.5,0.7\n3,4\n", {.field = "no_header"}},
        {"s.csv", "a,\"b\nc\"\n1,2\n", quoted},
        {"s.csv", "a\n\"1\n\"\n", quoted}}) {
    const SampleDirectory directory;
    try {
      RowReader reader(directory.write(name, content), {});
      std::vector<double> row(reader.dimension());
      static_cast<void>(reader.next(row));
      ADD_FAILURE() << remedy.words();
    } catch (const DataError& error) {
      EXPECT_EQ(error.remedy(), remedy) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(remedy.words()));
    }
  }
}

TEST(Csv, ALineFeedEndsARecordAndTheLastRecordMayLackIt) {
  const InputOptions zero = {.width = 1, .header = false, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(rows_of("1\n2", zero), (Rows{{1}, {2}}));
  EXPECT_EQ(rows_of("1\n2\n", zero), (Rows{{1}, {2}}));
  EXPECT_EQ(rows_of("1\n2\n\n", zero), (Rows{{1}, {2}, {0}}));
  EXPECT_EQ(rows_of("1\n2\n ", zero), (Rows{{1}, {2}, {0}}));  // bytes after the last line feed are a record
  EXPECT_EQ(rows_of("1\n2\n\r", zero), (Rows{{1}, {2}, {0}}));
  EXPECT_EQ(rows_of("\n", zero), (Rows{{0}}));
}

TEST(Csv, ARecordIsALineUnlessQuotedRecordsWereChosen) {
  // One person's row must not swallow neighbouring rows or become several rows: five rows stay five.
  const std::string content = "a,b\n1,2\n\"3,-1\n5,5\n6,1\"\n7,1\n";
  const InputOptions lines = {.on_bad_row = OnBadRow::zero};
  EXPECT_EQ(rows_of(content, lines), (Rows{{1, 2}, {0, 0}, {5, 5}, {0, 0}, {7, 1}}));
  EXPECT_EQ(rows_of("a,b\n1,2\n3,\"4\n5,6\n", lines), (Rows{{1, 2}, {0, 0}, {5, 6}}));
  EXPECT_EQ(rows_of("a,b,n\n1,\"2\",\"x,\"\"y\"\"\"\n", {.columns = {"a", "b"}}), (Rows{{1, 2}}));
  EXPECT_EQ(
      complaint_of(content),
      "s.csv:3: a quote is opened and not closed on its line: records quoted reads cells with line breaks");
  EXPECT_THAT(complaint_of("a,\"b\nc\"\n1,2\n"), HasSubstr("records quoted"));

  for (const OnBadRow on_bad_row : {OnBadRow::fail, OnBadRow::zero}) {
    const InputOptions quoted = {.records = Records::quoted, .columns = {"a"}, .on_bad_row = on_bad_row};
    EXPECT_EQ(rows_of("a,\"b\nc\"\n1,\"\n\n2,2\n\"\"\n3,\"\n4,x\n", quoted), (Rows{{1}, {4}}));
    EXPECT_EQ(complaint_of("a,b\n1,2\n3,\"4\n5,6\n", quoted), "s.csv:3: a quote is opened and never closed");
    EXPECT_EQ(complaint_of("a,b,c\n1,2,\"x\n\"\n3,4,\"", quoted),
              "s.csv:4: a quote is opened and never closed");
  }
}

TEST(Csv, ANulByteMakesOneBadRow) {
  using namespace std::string_literals;
  const InputOptions zero = {.on_bad_row = OnBadRow::zero};
  EXPECT_EQ(rows_of("a,b\n\0\n1,2\n3\0,4\n5,6\0\n\0\0\n7,8\n9,9\0"s, zero),
            (Rows{{0, 0}, {1, 2}, {0, 0}, {0, 0}, {0, 0}, {7, 8}, {0, 0}}));
  EXPECT_EQ(complaint_of("a,b\n1,2\n3\0,4\n5,6\n"s),
            "s.csv:3: contains a NUL byte: binary or compressed data (or UTF-16), not text");
  // Also in a column that is not taken, and inside a quoted record.
  EXPECT_EQ(rows_of("a,b\n1,\0\n2,x\n"s, {.columns = {"a"}, .on_bad_row = OnBadRow::zero}), (Rows{{0}, {2}}));
  EXPECT_EQ(rows_of("a,b\n1,\"\n\0\n\"\n2,x\n"s,
                    {.records = Records::quoted, .columns = {"a"}, .on_bad_row = OnBadRow::zero}),
            (Rows{{0}, {2}}));
}

TEST(Records, OfMoreThan64MiBAreOneBadRowAndOthersAreRead) {
  const SampleDirectory directory;
  constexpr std::size_t limit = std::size_t{64} << 20;
  const auto number_of_size = [](std::size_t size) { return "1" + std::string(size - 1, ' '); };
  const std::string path = directory.path("s.csv");
  std::ofstream(path, std::ios::binary) << "a\n"
                                        << number_of_size(limit) << "\n"
                                        << number_of_size(limit + 1) << "\n2\n"
                                        << number_of_size(70u << 20) << "\n3\n"
                                        << number_of_size(limit + 1);
  RowReader reader(path, {.on_bad_row = OnBadRow::zero});
  EXPECT_EQ(testing::all_rows(reader), (Rows{{1}, {0}, {2}, {0}, {3}, {0}}));
  RowReader strict(path, {});
  std::vector<double> row(1);
  EXPECT_TRUE(strict.next(row));
  EXPECT_THAT([&] { strict.next(row); },
              ::testing::ThrowsMessage<DataError>(path + ":3: is longer than 64 MiB"));
}

TEST(Records, ThatAreTooLongEndWhereTheirFramingSays) {
  const std::string ten = "aaaaaaaaaa";
  const InputOptions lines = {
      .columns = {"1"}, .header = false, .on_bad_row = OnBadRow::zero, .longest_record = 10};
  EXPECT_EQ(rows_of("1\n\"" + ten + "\n2\n" + ten + ten + ten + "\n\n\"3.000000\"\n\"4.0000000\"\n5", lines),
            (Rows{{1}, {0}, {2}, {0}, {0}, {3}, {0}, {5}}));
  InputOptions quoted = lines;
  quoted.records = Records::quoted;
  quoted.width = 2;
  for (const std::string& record :
       {"\"" + ten + "\n2\n\"\"" + ten + "\n\"",
        "0,\"\n" + ten + "\"\"\n" + ten + "\",\"" + ten + "\n3\n\"x\"", ten + ten + "\"", ten + "1,\"\"",
        std::string("9,\"\n\n\n\n\n\n\n\n\n\n\n\n\"")})
    EXPECT_EQ(rows_of("1,\n" + record + "\n2,\"\n\"\n" + record + "\n" + record + "\n3,", quoted),
              (Rows{{1}, {0}, {2}, {0}, {0}, {3}}))
        << record;
  EXPECT_EQ(complaint_of("1,\n\"" + ten + ten, quoted), "s.csv:2: a quote is opened and never closed");
  for (const std::size_t longest : {std::size_t{0}, std::size_t{2} << 30})
    EXPECT_THAT(complaint_of<InvalidParameter>("a\n1\n", {.longest_record = longest}),
                HasSubstr("longest-record"));
}

}  // namespace
}  // namespace jme
