#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "data/sample_file.hpp"

namespace jme {
namespace {

using testing::complaint_of;
using ::testing::HasSubstr;
using testing::Rows;
using testing::SampleDirectory;

const std::string json_name = "s.ndjson";

Rows json_rows(std::string_view content, const InputOptions& options = {}) {
  return testing::rows_of(content, options, json_name);
}

TEST(Ndjson, ObjectsGiveTheNumericKeysOfTheFirstLine) {
  const SampleDirectory directory;
  RowReader reader(
      directory.write(json_name,
                      "{\"t\":\"Mon\",\"b\":1,\"a\":2.5}\n{\"a\":-4e1,\"extra\":[1,{}],\"b\":3}\n"),
      {});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(testing::all_rows(reader), (Rows{{1, 2.5}, {3, -40}}));
}

TEST(Ndjson, ArraysGiveNumberedColumns) {
  const SampleDirectory directory;
  RowReader reader(directory.write(json_name, "[1,2,3]\r\n [4, 5 ,6] \r\n"), {.columns = {"3", "1"}});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"3", "1"}));
  EXPECT_EQ(testing::all_rows(reader), (Rows{{3, 1}, {6, 4}}));
  EXPECT_EQ(json_rows("[1,2]\n[3,4]"), (Rows{{1, 2}, {3, 4}}));
}

TEST(Ndjson, ColumnsAreTakenByKeyInTheOrderAsked) {
  EXPECT_EQ(json_rows("{\"a\":1,\"b\":null,\"c\":3}\n{\"c\":6,\"b\":5,\"a\":4}\n", {.columns = {"c", "a"}}),
            (Rows{{3, 1}, {6, 4}}));
  EXPECT_EQ(complaint_of<InvalidParameter>("{\"a\":1,\"b\":\"x\"}\n", {.columns = {"c"}}, json_name),
            "columns: there is no column c: there are a, b");
}

TEST(Ndjson, EscapedKeysAreTheKeysTheyMean) {
  EXPECT_EQ(json_rows("{\"a\\u0062\":1}\n{\"ab\":2}\n{\"\\u0061b\":3}\n"), (Rows{{1}, {2}, {3}}));
}

TEST(Ndjson, NamesLinesAndColumnsOfBadCellsButNeverTheirContent) {
  const std::string head = "{\"a\":1,\"b\":2}\n";
  EXPECT_EQ(complaint_of(head + "{\"a\":1,\"b\":null}\n", {}, json_name),
            "s.ndjson:2: column b: missing value");
  EXPECT_EQ(complaint_of(head + "{\"b\":8675309}\n", {}, json_name), "s.ndjson:2: column a: missing value");
  EXPECT_EQ(complaint_of(head + "{}\n", {}, json_name), "s.ndjson:2: column a: missing value");
  for (const auto* text : {"\"8675309\"", "true", "[8675309]", "{\"x\":8675309}"})
    EXPECT_EQ(complaint_of(fmt::format("{}{{\"a\":1,\"b\":{}}}\n", head, text), {}, json_name),
              "s.ndjson:2: column b: not a number");
  for (const auto* text : {"NaN", "Infinity", "-Infinity", "nan"})
    EXPECT_EQ(complaint_of(fmt::format("{}{{\"a\":1,\"b\":{}}}\n", head, text), {}, json_name),
              "s.ndjson:2: column b: not a finite number");
  for (const auto* text : {"8675309e999", "-1e309", "1.7976931348623159e308"})
    EXPECT_EQ(complaint_of(fmt::format("{}{{\"a\":1,\"b\":{}}}\n", head, text), {}, json_name),
              "s.ndjson:2: column b: number too large for double precision");
  EXPECT_EQ(complaint_of(head + "{\"a\":1,\"b\":2,\"a\":8675309}\n", {}, json_name),
            "s.ndjson:2: column a: given twice");
  EXPECT_EQ(complaint_of("[1,2]\n[8675309]\n", {}, json_name),
            "s.ndjson:2: has 1 column, the first line has 2");
  EXPECT_EQ(complaint_of("[1,2]\n[8675309,1,\"x\"]\n", {}, json_name),
            "s.ndjson:2: has 3 columns, the first line has 2");
  EXPECT_EQ(complaint_of("[1,2]\n[1,null]\n", {}, json_name), "s.ndjson:2: column 2: missing value");
  EXPECT_EQ(complaint_of("[1,2]\n{\"a\":1}\n", {}, json_name),
            "s.ndjson:2: not a JSON array as the first line");
  EXPECT_EQ(complaint_of(head + "[1,2]\n", {}, json_name), "s.ndjson:2: not a JSON object as the first line");
  EXPECT_EQ(complaint_of(head + "\n" + head, {}, json_name), "s.ndjson:2: blank line");
}

TEST(Ndjson, MalformedLinesAreNamed) {
  const std::string head = "{\"a\":1,\"b\":2}\n";
  for (const auto* line :
       {"{\"a\":1,\"b\":2", "{\"a\":1 \"b\":2}", "{\"a\":1,\"b\":2}}", "{\"a\":1,\"b\":2} 3",
        "{\"a\":1,\"b\":2}{}", "{\"a\":1,\"b\":+2}", "{\"a\":1,\"b\":.5}", "{\"a\":1,\"b\":01}",
        "{\"a\":1,\"b\":1e}", "{\"a\":1,\"b\":0x1}", "{\"a\":1,\"b\":}", "{\"a\":1,\"b\"}", "{a:1,\"b\":2}",
        "{\"a\":1,\"b\":\"x}", "{\"a\":1,\"b\":nul}", "{\"a\":1,\"b\":\"\xff\"}"})
    EXPECT_EQ(complaint_of(head + line + "\n" + head, {}, json_name),
              "s.ndjson:2: not one whole JSON object or array")
        << line;
  for (const auto* line : {"{", "[", "1", "\"a\"", "null", "x", "[1,2", "{\"a\":1}]", "[1][2]"})
    EXPECT_EQ(complaint_of(std::string(line) + "\n", {}, json_name),
              "s.ndjson:1: not one whole JSON object or array")
        << line;
}

TEST(Ndjson, BadRowsBecomeZeroWhereAsked) {
  const InputOptions forgiving = {.on_bad_row = OnBadRow::zero};
  EXPECT_EQ(json_rows("{\"a\":1,\"b\":2}\n{\"a\":1}\n{\"a\":\n\n[]\n{\"b\":3,\"a\":4}\n\n", forgiving),
            (Rows{{1, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {4, 3}}));
  using namespace std::string_literals;
  EXPECT_THAT(complaint_of("[1]\n[2\0]\n"s, forgiving, json_name),
              HasSubstr("s.ndjson:2: contains a NUL byte"));
  EXPECT_THAT(complaint_of("garbage\n[1]\n", forgiving, json_name),
              HasSubstr("s.ndjson:1: not one whole JSON"));
}

TEST(Ndjson, FilesWithoutRowsOrNumbersAreRefused) {
  EXPECT_EQ(complaint_of("", {}, json_name), "s.ndjson: has no rows");
  EXPECT_EQ(complaint_of("\n\n", {}, json_name), "s.ndjson: has no rows");
  EXPECT_EQ(complaint_of("{}\n", {}, json_name), "s.ndjson:1: has no numbers");
  EXPECT_EQ(complaint_of("[]\n", {}, json_name), "s.ndjson:1: has no numbers");
  EXPECT_EQ(complaint_of("{\"a\":\"1\"}\n", {}, json_name), "s.ndjson:1: has no numbers");
}

TEST(Ndjson, IntegersOfAnyLengthAreNumbers) {
  EXPECT_EQ(json_rows("[18446744073709551616]\n[-123456789012345678901234567890]\n[9007199254740993]\n"),
            (Rows{{18446744073709551616.0}, {-123456789012345678901234567890.0}, {9007199254740992.0}}));
  EXPECT_EQ(json_rows("[1e-400]\n[5e-324]\n"), (Rows{{0}, {5e-324}}));
}

TEST(Ndjson, EveryDoubleSurvivesSeventeenDigits) {
  std::mt19937_64 random(5);
  std::string content;
  Rows expected;
  while (expected.size() < 20'000) {
    const std::uint64_t bits = random();
    double x = 0.0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    content += fmt::format("{{\"x\":{:.17g}}}\n", x);
    expected.push_back({x});
  }
  EXPECT_EQ(json_rows(content), expected);
}

TEST(Ndjson, LinesOfTenMegabytesAndDeepNestingAreRead) {
  const std::string note(10'000'000, 'z');
  EXPECT_EQ(json_rows("{\"a\":1,\"n\":\"" + note + "\"}\n{\"n\":\"" + note + "\",\"a\":2}\n"),
            (Rows{{1}, {2}}));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(json_rows("{\"a\":1}\n{\"n\":" + deep + ",\"a\":2}\n", {.on_bad_row = OnBadRow::zero}).size(),
            2u);
}

TEST(Ndjson, IsChosenByExtension) {
  for (const auto* other : {"x.jsonl", "x.json", "X.NDJSON"})
    EXPECT_EQ(testing::rows_of("[1]\n[2]\n", {}, other), (Rows{{1}, {2}}));
  EXPECT_EQ(testing::rows_of("[1]\n", {.format = InputFormat::ndjson}, "x.txt"), (Rows{{1}}));
}

}  // namespace
}  // namespace jme
