// Records that come one by one from elsewhere than a file.
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/data/row_reader.hpp>

namespace jme::feed_tests {
namespace {

using Value = std::optional<std::string>;

class Given final : public RecordFeed {
 public:
  explicit Given(std::vector<Value> values) : values_(std::move(values)) {}
  bool next() override { return ++at_ <= values_.size(); }
  [[nodiscard]] std::optional<std::string_view> text() const override { return values_[at_ - 1]; }
  [[nodiscard]] std::string place() const override { return "record " + std::to_string(at_); }

 private:
  std::vector<Value> values_;
  std::size_t at_ = 0;
};

InputOptions options_of(Given& given, InputFormat format) {
  InputOptions options;
  options.format = format;
  options.header = false;
  options.may_be_empty = true;
  options.on_bad_row = OnBadRow::zero;
  options.feed = &given;
  if (format == InputFormat::csv) {
    options.columns = {"1", "3"};
  } else {
    options.columns = {"a", "b"};
  }
  return options;
}

/// Each row's numbers, or nothing for a bad one.
std::vector<std::vector<double>> rows_of(std::vector<Value> values, InputFormat format) {
  Given given(std::move(values));
  RowReader reader("a topic", options_of(given, format));
  std::vector<std::vector<double>> rows;
  std::vector<double> row(2);
  while (reader.next(row)) rows.push_back(reader.is_bad() ? std::vector<double>() : row);
  return rows;
}

using Rows = std::vector<std::vector<double>>;

TEST(RecordFeed, ARecordWithFurtherCellsIsNobodys) {
  using Who = std::vector<std::optional<std::string>>;
  const auto persons_of = [](std::vector<Value> values, InputFormat format) {
    Given given(std::move(values));
    InputOptions options = options_of(given, format);
    options.columns = {"1", "2"};
    options.person = "3";
    RowReader reader("a topic", options);
    Who persons;
    std::vector<double> row(2);
    while (reader.next(row)) persons.emplace_back(reader.person());
    return persons;
  };
  const Who expected{"mal", std::nullopt, std::nullopt};
  EXPECT_EQ(persons_of({"1,1,mal", "z,1,p,mal", "1,1,p,"}, InputFormat::csv), expected);
  EXPECT_EQ(persons_of({R"([1,1,"mal"])", R"(["z",1,"p","mal"])", R"([1,1,"p",null])"}, InputFormat::ndjson),
            expected);
}

TEST(RecordFeed, EveryRecordIsOneRowWhateverItHolds) {
  const Rows one{{1, 2}}, bad{{}};
  EXPECT_EQ(rows_of({R"({"a":1,"b":2})"}, InputFormat::ndjson), one);
  EXPECT_EQ(rows_of({"{\n \"a\": 1,\n \"b\": 2\n}\n"}, InputFormat::ndjson), one);
  EXPECT_EQ(rows_of({"1,x,2"}, InputFormat::csv), one);
  EXPECT_EQ(rows_of({"1,x,2\r\n"}, InputFormat::csv), one);
  for (const InputFormat format : {InputFormat::csv, InputFormat::ndjson}) {
    EXPECT_EQ(rows_of({}, format), Rows{});
    for (const Value& value :
         std::vector<Value>{std::nullopt, "", "\n", "\n\n", std::string("1,2,3\0", 6), "{", "\"", "1,2",
                            "1,2,3\n1,2,3", R"({"a":1,"b":2}{"a":1,"b":2})", "\xff\xfe", "\x1f\x8b"}) {
      EXPECT_EQ(rows_of({value}, format), bad) << value.value_or("no value");
      // And nobody's neighbours know of it.
      const std::string good = format == InputFormat::csv ? "1,x,2" : R"({"a":1,"b":2})";
      EXPECT_EQ(rows_of({good, value, good}, format), (Rows{{1, 2}, {}, {1, 2}}));
    }
  }
}

TEST(RecordFeed, ARecordThatIsTooLongIsABadRow) {
  Given given({std::string(100, '1') + ",2,3", "4,5,6"});
  InputOptions options = options_of(given, InputFormat::csv);
  options.longest_record = 50;
  RowReader reader("a topic", options);
  std::vector<double> row(2);
  ASSERT_TRUE(reader.next(row));
  EXPECT_TRUE(reader.is_bad());
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, (std::vector<double>{4, 6}));
}

TEST(RecordFeed, HasPersonsAndTimesAndNamesThePlaceOfABadRecord) {
  Given given({R"({"who":"x","when":"2026-01-01","a":1,"b":2})", R"({"who":"y","when":60,"a":1})"});
  InputOptions options = options_of(given, InputFormat::ndjson);
  options.person = "who";
  options.time = "when";
  options.on_bad_row = OnBadRow::fail;
  RowReader reader("a topic", options);
  std::vector<double> row(2);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(reader.person(), "x");
  EXPECT_EQ(reader.time(), 1'767'225'600);
  try {
    static_cast<void>(reader.next(row));
    ADD_FAILURE() << "was read";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("record 2: "));
  }
  EXPECT_EQ(reader.person(), "y");
}

TEST(RecordFeed, HasNoHeaderAndNoNpy) {
  Given given({});
  InputOptions options = options_of(given, InputFormat::csv);
  options.header = true;
  EXPECT_THROW(RowReader("a topic", options), InvalidParameter);
  options = options_of(given, InputFormat::npy);
  EXPECT_THROW(RowReader("a topic", options), InvalidParameter);
}

}  // namespace
}  // namespace jme::feed_tests
