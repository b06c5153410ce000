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
const InputOptions a_and_b = {.columns = {"a", "b"}};
const InputOptions two_cells = {.width = 2};

Rows json_rows(std::string_view content, const InputOptions& options) {
  return testing::rows_of(content, options, json_name);
}

TEST(Ndjson, ObjectsAreReadByTheirKeysInTheOrderAsked) {
  const SampleDirectory directory;
  RowReader reader(
      directory.write(json_name,
                      "{\"t\":\"Mon\",\"b\":1,\"a\":2.5}\n{\"a\":-4e1,\"extra\":[1,{}],\"b\":3}\n"),
      {.columns = {"b", "a"}});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(testing::all_rows(reader), (Rows{{1, 2.5}, {3, -40}}));
}

TEST(Ndjson, ArraysAreReadByNumberedPlaces) {
  const SampleDirectory directory;
  RowReader reader(directory.write(json_name, "[1,2,3]\r\n [4, 5 ,6] \r\n"), {.columns = {"3", "1"}});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"3", "1"}));
  EXPECT_EQ(testing::all_rows(reader), (Rows{{3, 1}, {6, 4}}));
  EXPECT_EQ(json_rows("[1,2]\n[3,4]", two_cells), (Rows{{1, 2}, {3, 4}}));
}

TEST(Ndjson, EveryLineIsJudgedOnItsOwn) {
  InputOptions numbered = {.columns = {"1", "2"}, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(json_rows("[1,2,9]\n{\"2\":4,\"1\":3}\n[5]\n{\"a\":1}\noops\n[6,7]\n", numbered),
            (Rows{{0, 0}, {3, 4}, {0, 0}, {0, 0}, {0, 0}, {6, 7}}));
  EXPECT_EQ(json_rows("{\"2\":2,\"1\":1}\n[3,4]\n", numbered), (Rows{{1, 2}, {3, 4}}));
  numbered = {.width = 2, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(json_rows("[1,2,9]\n{\"2\":4,\"1\":3}\n[6,7]\n", numbered), (Rows{{0, 0}, {3, 4}, {6, 7}}));
  EXPECT_EQ(json_rows("[1,2]\n{\"b\":4,\"a\":3}\n", {.columns = {"a", "b"}, .on_bad_row = OnBadRow::zero}),
            (Rows{{0, 0}, {3, 4}}));
  // With a name among the numbers all of them are keys.
  EXPECT_EQ(json_rows("[1,2]\n{\"b\":4,\"1\":3}\n", {.columns = {"1", "b"}, .on_bad_row = OnBadRow::zero}),
            (Rows{{0, 0}, {3, 4}}));
}

TEST(Ndjson, AMissingValueIsNeverReadFromBeyondTheRecord) {
  // What is left of a longer record stands where the parser would go on.
  const std::vector<std::string> longer{"[1,2,3,4,5,6,7,8]", R"({"1":1,"2":2,"3":3,"4":4})",
                                        "[[[[1,2],3],4],5]"},
      broken{"[,[1]]",           "[,]",      "[,,1]",      "[1,",
             "[1,,2]",           "[:1,2]",   "[}",         "[,{\"1\":",
             R"({"1":,"2":3})",  R"({"1":)", R"({"1":1,)", R"({"1":1,"2")",
             R"({"1":},"2":3})", "[1,2],",   "[[,1]"};
  for (const std::string& before : longer) {
    for (const std::string& record : broken) {
      for (const std::size_t width : {2u, 3u, 8u}) {
        const Rows rows = json_rows(before + '\n' + record + "\n{\"2\":7}",
                                    {.columns = {"2"}, .width = width, .on_bad_row = OnBadRow::zero});
        ASSERT_EQ(rows.size(), 3u);
        EXPECT_EQ(rows[1], (std::vector<double>{0})) << before << ' ' << record << ' ' << width;
        EXPECT_EQ(rows[2], (std::vector<double>{7})) << before << ' ' << record << ' ' << width;
      }
    }
  }
}

TEST(Ndjson, NeedsItsColumnsFromOutside) {
  EXPECT_EQ(
      complaint_of<InvalidParameter>("{\"a\":1}\n", {}, json_name),
      "columns: must be given (or bounds, or dimension) where the input has no header: no row decides which "
      "columns there are");
  EXPECT_EQ(complaint_of<InvalidParameter>("{\"a\":1}\n", {.columns = {"a", "a"}}, json_name),
            "columns: column a is chosen twice");
  EXPECT_THAT(complaint_of<InvalidParameter>("[1]\n", {.records = Records::quoted, .width = 1}, json_name),
              HasSubstr("records = quoted: must be used with CSV"));
}

TEST(Ndjson, EscapedKeysAreTheKeysTheyMean) {
  EXPECT_EQ(json_rows("{\"a\\u0062\":1}\n{\"ab\":2}\n{\"\\u0061b\":3}\n", {.columns = {"ab"}}),
            (Rows{{1}, {2}, {3}}));
}

TEST(Ndjson, NamesLinesAndColumnsOfBadCellsButNeverTheirContent) {
  const auto complaint = [](const std::string& row) {
    return complaint_of("{\"a\":1,\"b\":2}\n" + row + "\n", a_and_b, json_name);
  };
  EXPECT_EQ(complaint("{\"a\":1,\"b\":null}"), "s.ndjson:2: column b: missing value");
  EXPECT_EQ(complaint("{\"b\":8675309}"), "s.ndjson:2: column a: missing value");
  EXPECT_EQ(complaint("{}"), "s.ndjson:2: column a: missing value");
  for (const auto* text : {"\"8675309\"", "true", "[8675309]", "{\"x\":8675309}"})
    EXPECT_EQ(complaint(fmt::format("{{\"a\":1,\"b\":{}}}", text)), "s.ndjson:2: column b: not a number");
  for (const auto* text : {"NaN", "Infinity", "-Infinity", "nan"})
    EXPECT_EQ(complaint(fmt::format("{{\"a\":1,\"b\":{}}}", text)),
              "s.ndjson:2: column b: not a finite number");
  for (const auto* text : {"8675309e999", "-1e309", "1.7976931348623159e308"})
    EXPECT_EQ(complaint(fmt::format("{{\"a\":1,\"b\":{}}}", text)),
              "s.ndjson:2: column b: number too large for double precision");
  EXPECT_EQ(complaint("{\"a\":1,\"b\":2,\"a\":8675309}"), "s.ndjson:2: column a: given twice");
  EXPECT_EQ(complaint("[1,2]"),
            "s.ndjson:2: a JSON array, whose columns have numbers and not the names asked for");
  EXPECT_EQ(complaint(""), "s.ndjson:2: blank line, a row with every cell missing");

  EXPECT_EQ(complaint_of("[1,2]\n[8675309]\n", two_cells, json_name),
            "s.ndjson:2: has 1 column, 2 are needed");
  EXPECT_EQ(complaint_of("[1,2]\n[8675309,1,\"x\"]\n", two_cells, json_name),
            "s.ndjson:2: has 3 columns, 2 are needed: where every record has more, say so with width N");
  EXPECT_EQ(complaint_of("[1,2]\n[8675309]\n", {.columns = {"2"}}, json_name),
            "s.ndjson:2: has 1 column, 2 are needed");
  EXPECT_EQ(complaint_of("[1,2]\n[1,null]\n", two_cells, json_name), "s.ndjson:2: column 2: missing value");
  EXPECT_EQ(complaint_of("[1,2]\n{\"a\":1}\n", two_cells, json_name), "s.ndjson:2: column 1: missing value");
}

TEST(Ndjson, MalformedLinesAreNamed) {
  const std::string head = "{\"a\":1,\"b\":2}\n";
  for (const auto* line :
       {"{\"a\":1,\"b\":2", "{\"a\":1 \"b\":2}", "{\"a\":1,\"b\":2}}", "{\"a\":1,\"b\":2} 3",
        "{\"a\":1,\"b\":2}{}", "{\"a\":1,\"b\":+2}", "{\"a\":1,\"b\":.5}", "{\"a\":1,\"b\":01}",
        "{\"a\":1,\"b\":1e}", "{\"a\":1,\"b\":0x1}", "{\"a\":1,\"b\":}", "{\"a\":1,\"b\"}", "{a:1,\"b\":2}",
        "{\"a\":1,\"b\":\"x}", "{\"a\":1,\"b\":nul}", "{\"a\":1,\"b\":\"\xff\"}"})
    EXPECT_EQ(complaint_of(head + line + "\n" + head, a_and_b, json_name),
              "s.ndjson:2: not one whole JSON object or array")
        << line;
  for (const auto* line : {"{", "[", "1", "\"a\"", "null", "x", "[1,2", "{\"1\":1}]", "[1][2]"})
    EXPECT_EQ(complaint_of(std::string(line) + "\n", {.width = 1}, json_name),
              "s.ndjson:1: not one whole JSON object or array")
        << line;
}

TEST(Ndjson, BadRowsBecomeZeroWhereAsked) {
  using namespace std::string_literals;
  InputOptions forgiving = {.columns = {"a", "b"}, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(json_rows("\n{\"a\":1,\"b\":2}\n{\"a\":1}\n{\"a\":\n\n[]\n{\"b\":3,\"a\":4}\n\n", forgiving),
            (Rows{{0, 0}, {1, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {4, 3}, {0, 0}}));
  forgiving = {.width = 1, .on_bad_row = OnBadRow::zero, .longest_record = 20};
  EXPECT_EQ(json_rows("garbage\n[1]\n[2\0]\n[3]\n[                    4]\n[5]\n\xff\xfe\n[6]\n"s, forgiving),
            (Rows{{0}, {1}, {0}, {3}, {0}, {5}, {0}, {6}}));
}

TEST(Ndjson, FilesWithoutRowsAreRefused) {
  EXPECT_EQ(complaint_of("", two_cells, json_name), "s.ndjson: has no rows");
}

TEST(Ndjson, IntegersOfAnyLengthAreNumbers) {
  const InputOptions one = {.width = 1};
  EXPECT_EQ(json_rows("[18446744073709551616]\n[-123456789012345678901234567890]\n[9007199254740993]\n", one),
            (Rows{{18446744073709551616.0}, {-123456789012345678901234567890.0}, {9007199254740992.0}}));
  EXPECT_EQ(json_rows("[1e-400]\n[5e-324]\n", one), (Rows{{0}, {5e-324}}));
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
  EXPECT_EQ(json_rows(content, {.columns = {"x"}}), expected);
}

TEST(Ndjson, LinesOfTenMegabytesAndDeepNestingAreRead) {
  const std::string note(10'000'000, 'z');
  const InputOptions options = {.columns = {"a"}, .on_bad_row = OnBadRow::zero};
  EXPECT_EQ(json_rows("{\"a\":1,\"n\":\"" + note + "\"}\n{\"n\":\"" + note + "\",\"a\":2}\n", options),
            (Rows{{1}, {2}}));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Rows rows = json_rows("{\"a\":1}\n{\"n\":" + deep + ",\"a\":2}\n{\"a\":3}\n", options);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2], (std::vector<double>{3}));
}

TEST(Ndjson, IsChosenByExtension) {
  for (const auto* other : {"x.jsonl", "x.json", "X.NDJSON"})
    EXPECT_EQ(testing::rows_of("[1]\n[2]\n", {.width = 1}, other), (Rows{{1}, {2}}));
  EXPECT_EQ(testing::rows_of("[1]\n", {.format = InputFormat::ndjson, .width = 1}, "x.txt"), (Rows{{1}}));
}

}  // namespace
}  // namespace jme
